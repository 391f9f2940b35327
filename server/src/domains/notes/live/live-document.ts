import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { NoteId } from '@notevault/protocol/ids.ts';
import type { Doc } from 'yjs';
import type { OpenVault } from '../../vaults/vaults.ts';
import {
  genesisOf,
  inOneGo,
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

/** Why an update of a peer is not taken. */
export type Refused = LineageError | AheadOfUs | MalformedUpdate | TooLarge;

/** What became of an update: `known` adds nothing, `missing` leans on edits that are not here. */
export type Outcome = 'stored' | 'known' | 'missing' | Refused;

function isRefused(error: unknown): error is Refused {
  return [LineageError, AheadOfUs, MalformedUpdate, TooLarge].some((kind) => error instanceof kind);
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
  /** Tells the note from one that was made anew under its id. */
  readonly #createdAt: number;
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
  /** When it was last taken to write its row from, on the clock of `performance.now()`: what comes after is for the next. */
  #settledAt = Number.NEGATIVE_INFINITY;

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
    this.#ownClient = clientIdOf(vault, whole.note);
    this.#createdAt = whole.note.created_at;
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

  get settledAt(): number {
    return this.#settledAt;
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
   * Takes a peer's updates, in one go: what they add is one row of the log and one message to each watcher. Resolves once
   * that is on disk and the other watchers were told, to what became of each. Throws MalformedUpdate when they do not hold
   * together with the document, `unavailable`, `note_not_found`.
   */
  async apply(updates: readonly Uint8Array[], actor: Actor, from: Watcher | null): Promise<Outcome[]> {
    if (this.#lost) throw new NotevaultError('unavailable');
    const refusals = new Map<number, Outcome>();
    const added = this.#take(() => this.#takeEach(updates, refusals));
    const outcomes = (taken: Outcome) => updates.map((_, index) => refusals.get(index) ?? taken);
    if (added === undefined) {
      await this.#durable;
      return outcomes('known');
    }
    const stored = this.#log.append({ vault: this.vault, note: this.id, update: added, actor, document: this });
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
    return outcomes('stored');
  }

  /** Whether a row is of the note that this is the document of, not of one that was made anew under its id. */
  isOf({ note }: WholeNote): boolean {
    return note.created_at === this.#createdAt;
  }

  /** Takes what others have put on disk since, and tells the watchers. The row must be of this note. Throws `note_unreadable`. */
  catchUp(whole: WholeNote): void {
    const { note, doc, updates } = whole;
    // A rename writes the row, but the document stays.
    if (note.meta.head !== this.#head && doc !== null) {
      const state = sealed.openDoc(this.vault, note.id, note.version, doc);
      this.#takeOfOthers(() => takeState(this.#doc, state));
      this.#snapshot = snapshotOf(loadDocument(state));
      this.#head = note.meta.head;
    }
    this.#stamp = note.stamp;
    this.#takeWaiting(whole);
    // Rows that are gone are in the stored document now.
    const waiting = new Set(updates.map(({ id }) => id));
    for (const id of this.#seen) if (!waiting.has(id)) this.#seen.delete(id);
  }

  /**
   * The document with all that a stored state holds, and the snapshot of its row's version; for settling it. Undefined
   * when it is lost, or the row is of another note.
   */
  upTo(whole: WholeNote): { doc: Doc; before: Uint8Array } | undefined {
    if (this.#lost || !this.isOf(whole)) return undefined;
    this.catchUp(whole);
    this.#settledAt = performance.now();
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
    this.#takeOfOthers(() => {
      const whole = takeUpdates(
        this.#doc,
        fresh.flatMap((row) => row.open().updates),
      );
      if (!whole) throw new NotevaultError('note_unreadable');
      return true;
    });
    for (const { id } of fresh) this.#seen.add(id);
  }

  /** Takes what is on disk already. */
  #takeOfOthers(change: () => boolean): void {
    const added = this.#take(change);
    this.#bytes += added?.length ?? 0;
    this.#tell(added, null);
  }

  /** Takes those of a peer's updates that can be taken, each held against the document with the ones before it in. */
  #takeEach(updates: readonly Uint8Array[], refusals: Map<number, Outcome>): boolean {
    const takeNext = (update: Uint8Array, index: number) => {
      const refusal = this.#refusalOf(update);
      if (refusal === null) return takeUpdate(this.#doc, update);
      refusals.set(index, refusal);
      return true;
    };
    try {
      return inOneGo(this.#doc, () => updates.every(takeNext));
    } catch {
      // It stumbles over what does not fit only at the end of the whole.
      return false;
    }
  }

  /** Why an update is not taken, or null. */
  #refusalOf(update: Uint8Array): 'missing' | Refused | null {
    try {
      const scan = scanUpdate(update);
      this.#checkLineage(scan, update);
      // A peer that types under the server's id would give two texts the same clocks. It may have heard of a write of
      // another process before us.
      if ((scan.clients.get(this.#ownClient)?.to ?? 0) > knownOf(this.#doc, this.#ownClient)) return new AheadOfUs();
      if (this.#leansOnMissing(scan)) return 'missing';
      this.#checkSize(scan, update);
      return null;
    } catch (error) {
      // A text begun elsewhere may be none that Yjs can read.
      return isRefused(error) ? error : new MalformedUpdate('it does not hold together', { cause: error });
    }
  }

  /** Changes the document; resolves to what came to it (v1), or undefined. A document left half changed is given up. */
  #take(change: () => boolean): Uint8Array | undefined {
    this.#added = [];
    try {
      if (!change()) throw new MalformedUpdate('it does not hold together');
      return mergedUpdate(this.#added);
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
    this.#bytes += textBytes;
    if (this.#bytes <= NOTE_BYTES_MAX) return;
    this.#bytes = Buffer.byteLength(textOf(this.#doc), 'utf8') + textBytes;
    if (this.#bytes <= NOTE_BYTES_MAX) return;
    // Near the limit it counts what the update takes away, and what of it is known.
    const after = loadUpdate(missingFor(this.#doc, null));
    takeUpdate(after, update);
    if (Buffer.byteLength(textOf(after), 'utf8') > NOTE_BYTES_MAX) throw new TooLarge();
  }
}
