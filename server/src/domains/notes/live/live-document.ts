import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { NoteId } from '@notevault/protocol/ids.ts';
import type { Doc } from 'yjs';
import type { OpenVault } from '../../vaults/vaults.ts';
import {
  genesisOf,
  knownOf,
  loadDocument,
  loadUpdate,
  mergedUpdate,
  missingFor,
  snapshotOf,
  stateVectorOf,
  structsOf,
  takeState,
  takeUpdate,
  takeUpdates,
  textOf,
} from '../document.ts';
import { type Actor, sealed } from '../meta.ts';
import { clientIdOf } from '../prepare.ts';
import type { UpdateLog } from './update-log.ts';
import { MalformedUpdate, readStateVector, type ScannedUpdate, scanUpdate } from './updates.ts';
import { documentOf, type WholeNote } from './whole.ts';

/** Who follows a document. */
export interface Watcher {
  /** An update (Yjs, v1) of somebody else, on disk by now. Called in the order in which updates came to be there. */
  update(update: Uint8Array): void;
  /** The document is over. `lost`: for now only; who reconnects finds it again. */
  closed(reason: CloseReason): void;
}

export type CloseReason = 'note_deleted' | 'note_too_large' | 'lost';

/** The text of a peer does not descend from this note's document: taken in, everything would be there twice. */
export class LineageError extends Error {
  override readonly name = 'LineageError';
  /** The text it came with, or null when it came with none. */
  readonly text: string | null;
  constructor(text: string | null) {
    super('the edit belongs to another document');
    this.text = text;
  }
}

/** The update was made by the server, as far as its client id says, and is not known here: yet, or at all. */
export class AheadOfUs extends Error {
  override readonly name = 'AheadOfUs';
}

/** The note would grow beyond what a note may have. */
export class TooLarge extends Error {
  override readonly name = 'TooLarge';
}

const NOTE_BYTES_MAX = 10 * 1024 * 1024;
/** Pieces a document may come to: each takes memory, and time at every load, also when its text was deleted. */
const PIECES_MAX = 2_000_000;
/** Clients that were never seen before in the document, in one update. */
const NEW_CLIENTS_MAX = 64;

/**
 * A note's document while somebody uses it. It is what the row, the waiting edits and the edits on their way to disk come
 * to; nothing leaves it before all that is in what leaves is on disk.
 */
export class LiveDocument {
  readonly id: NoteId;
  readonly vault: OpenVault;
  readonly #doc: Doc;
  readonly #log: UpdateLog;
  readonly #genesis: { readonly client: number; readonly clock: number } | null;
  /** The id under which the server itself edits. */
  readonly #ownClient: number;
  /** At least the bytes of the text, and at least the pieces of the document. */
  #bytes: number;
  #pieces: number;
  readonly #watchers = new Set<Watcher>();
  /** Rows of the log that are in the document. */
  readonly #seen = new Set<string>();
  /** The stamp of the note's row whose document is in this one, with that document's head and snapshot. */
  #stamp: number;
  #head: string;
  #snapshot: Uint8Array;
  /** What the last applied update added: in several parts where Yjs tidied up formatting after it. */
  #added: Uint8Array[] = [];
  /** Ends when everything applied so far is on disk. */
  #durable: Promise<unknown> = Promise.resolve();
  #lost = false;

  /** Throws `note_unreadable`. */
  constructor(vault: OpenVault, whole: WholeNote, log: UpdateLog) {
    this.id = whole.note.id as NoteId;
    this.vault = vault;
    this.#log = log;
    this.#doc = documentOf(vault, whole);
    this.#stamp = whole.note.stamp;
    this.#head = whole.note.meta.head;
    this.#snapshot = snapshotOf(this.#doc);
    this.#genesis = genesisOf(this.#doc);
    this.#ownClient = clientIdOf(vault, whole.note.id);
    this.#bytes = whole.note.size_bytes;
    this.#pieces = structsOf(this.#doc);
    this.#doc.on('update', (update: Uint8Array) => {
      this.#added.push(update);
    });
    this.#takeWaiting(whole);
  }

  get watchers(): number {
    return this.#watchers.size;
  }

  get stamp(): number {
    return this.#stamp;
  }

  /** How many rows of the log, as far as is known. */
  get waiting(): number {
    return this.#seen.size;
  }

  /** In UTF-16 units: about what the document costs. */
  get length(): number {
    return this.#doc.getText('content').length;
  }

  /** Ends when everything in the document is on disk; rejects when it cannot be put there. */
  async durable(): Promise<void> {
    await this.#durable;
  }

  watch(watcher: Watcher): Disposable {
    this.#watchers.add(watcher);
    return { [Symbol.dispose]: () => void this.#watchers.delete(watcher) };
  }

  /** Throws LineageError, MalformedUpdate; `unavailable` when what is in the document cannot be put on disk. */
  async missingFor(stateVector: Uint8Array | null): Promise<Uint8Array> {
    if (stateVector !== null) this.#checkVector(stateVector);
    const missing = missingFor(this.#doc, stateVector);
    await this.#durable;
    return missing;
  }

  async stateVector(): Promise<Uint8Array> {
    const vector = stateVectorOf(this.#doc);
    await this.#durable;
    return vector;
  }

  /**
   * Takes a peer's update. Resolves once it is on disk and the other watchers were told: `known` when it adds nothing,
   * `missing` when it leans on edits that are not here: nothing was taken then. Throws LineageError, AheadOfUs,
   * MalformedUpdate, TooLarge, `unavailable`, `note_not_found`.
   */
  async apply(update: Uint8Array, actor: Actor, from: Watcher | null): Promise<'stored' | 'known' | 'missing'> {
    const scan = scanUpdate(update);
    if (this.#lost) throw new NotevaultError('unavailable');
    this.#checkLineage(scan, update);
    // A peer that types under the server's id would give two texts the same clocks. It may have heard of a write of
    // another process before us.
    if ((scan.clients.get(this.#ownClient)?.to ?? 0) > knownOf(this.#doc, this.#ownClient)) throw new AheadOfUs();
    if (this.#leansOnMissing(scan)) return 'missing';
    this.#checkSize(scan, update);
    const added = this.#take(() => takeUpdate(this.#doc, update));
    if (added === undefined) {
      await this.#durable;
      return 'known';
    }
    const stored = this.#log.append({ vault: this.vault, note: this.id, update: added, actor });
    this.#durable = Promise.all([this.#durable, stored]);
    // Whoever waits hears of it; that nobody waits is no fault.
    this.#durable.catch(() => {});
    try {
      this.#seen.add(await stored);
    } catch (error) {
      // The document holds what is not on disk: nobody may build on it.
      this.close('lost');
      throw error;
    }
    this.#tell(added, from);
    return 'stored';
  }

  /** Takes what others have put on disk since, and tells the watchers. Throws `note_unreadable`. */
  catchUp(whole: WholeNote): void {
    const { note, doc, updates } = whole;
    // A rename writes the row, but the document stays.
    if (note.meta.head !== this.#head && doc !== null) {
      const state = sealed.openDoc(this.vault, note.id, note.version, doc);
      this.#tell(
        this.#take(() => takeState(this.#doc, state)),
        null,
      );
      this.#snapshot = snapshotOf(loadDocument(state));
      this.#head = note.meta.head;
    }
    this.#stamp = note.stamp;
    this.#takeWaiting(whole);
    // Rows that are gone are in the stored document now.
    const waiting = new Set(updates.map(({ id }) => id));
    for (const id of this.#seen) if (!waiting.has(id)) this.#seen.delete(id);
  }

  /** The document with all that a stored state holds, and the snapshot of its row's version; for settling it. */
  upTo(whole: WholeNote): { doc: Doc; before: Uint8Array } | undefined {
    if (this.#lost) return undefined;
    this.catchUp(whole);
    return { doc: this.#doc, before: this.#snapshot };
  }

  /** The row was written from this document. */
  settled(written: { stamp: number; head: string; snapshot: Uint8Array; updates: readonly string[] }): void {
    for (const id of written.updates) this.#seen.delete(id);
    if (written.stamp < this.#stamp) return;
    this.#stamp = written.stamp;
    this.#head = written.head;
    this.#snapshot = written.snapshot;
  }

  close(reason: CloseReason): void {
    this.#lost = true;
    for (const watcher of [...this.#watchers]) watcher.closed(reason);
    this.#watchers.clear();
  }

  get isLost(): boolean {
    return this.#lost;
  }

  #takeWaiting({ updates }: WholeNote): void {
    const fresh = updates.filter(({ id }) => !this.#seen.has(id));
    if (fresh.length === 0) return;
    const added = this.#take(() => {
      const whole = takeUpdates(
        this.#doc,
        fresh.flatMap((row) => row.updates),
      );
      if (!whole) throw new NotevaultError('note_unreadable');
      return true;
    });
    for (const { id } of fresh) this.#seen.add(id);
    this.#tell(added, null);
  }

  /** Changes the document; resolves to what came to it (v1), or undefined. A document left half changed is given up. */
  #take(change: () => boolean): Uint8Array | undefined {
    this.#added = [];
    try {
      if (!change()) throw new MalformedUpdate('it does not hold together');
      const added = mergedUpdate(this.#added);
      this.#bytes += added?.length ?? 0;
      return added;
    } catch (error) {
      this.close('lost');
      throw error;
    } finally {
      this.#added = [];
    }
  }

  #tell(update: Uint8Array | undefined, except: Watcher | null): void {
    if (update === undefined) return;
    for (const watcher of [...this.#watchers]) if (watcher !== except) watcher.update(update);
  }

  /** A peer that knows something knows the beginning, or it knows another document. */
  #checkVector(bytes: Uint8Array): void {
    const vector = readStateVector(bytes);
    if (vector.size === 0 || this.#genesis === null) return;
    const { client, clock } = this.#genesis;
    if ((vector.get(client) ?? 0) <= clock) throw new LineageError(null);
  }

  /** Only the server begins a document: another beginning is another document. */
  #checkLineage({ roots }: ScannedUpdate, update: Uint8Array): void {
    const foreign = roots.some(({ client, clock }) => knownOf(this.#doc, client) <= clock);
    if (foreign) throw new LineageError(textOf(loadUpdate(update)));
  }

  #leansOnMissing({ clients, needs, gaps }: ScannedUpdate): boolean {
    const fresh = [...clients.keys()].filter((client) => knownOf(this.#doc, client) === 0);
    if (fresh.length > NEW_CLIENTS_MAX) throw new MalformedUpdate('too many clients at once');
    const starts = [...clients].every(([client, { from }]) => from <= knownOf(this.#doc, client));
    const whole = [...gaps].every(([client, below]) => below <= knownOf(this.#doc, client));
    return !starts || !whole || [...needs].some(([client, below]) => below > this.#knownWith(clients, client));
  }

  /** What is known of a client once the update is in. */
  #knownWith(clients: ScannedUpdate['clients'], client: number): number {
    return Math.max(knownOf(this.#doc, client), clients.get(client)?.to ?? 0);
  }

  #checkSize({ textBytes, pieces }: ScannedUpdate, update: Uint8Array): void {
    // An item goes in by parting another: three for one.
    this.#pieces += 3 * pieces;
    if (this.#pieces > PIECES_MAX) this.#pieces = structsOf(this.#doc) + 3 * pieces;
    if (this.#pieces > PIECES_MAX) throw new TooLarge();
    if (this.#bytes + textBytes <= NOTE_BYTES_MAX) return;
    this.#bytes = Buffer.byteLength(textOf(this.#doc), 'utf8');
    if (this.#bytes + textBytes <= NOTE_BYTES_MAX) return;
    // Near the limit it counts what the update takes away, and what of it is known.
    const after = loadUpdate(missingFor(this.#doc, null));
    takeUpdate(after, update);
    if (Buffer.byteLength(textOf(after), 'utf8') > NOTE_BYTES_MAX) throw new TooLarge();
  }
}
