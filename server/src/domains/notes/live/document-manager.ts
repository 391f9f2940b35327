import { setImmediate as nextTurn } from 'node:timers/promises';
import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { NoteId, VaultId } from '@notevault/protocol/ids.ts';
import { Coalescer } from '../../../concurrency/coalesce.ts';
import { runShared } from '../../../concurrency/owner.ts';
import type { Actor } from '../../entries/entries.ts';
import type { OpenVault } from '../../vaults/vaults.ts';
import type { LiveDeps, LiveNotifications } from '../notes.deps.ts';
import { flushNote } from './flush.ts';
import { FlushSchedule } from './flush-schedule.ts';
import * as store from './live.store.ts';
import { LiveDocument, type Watcher } from './live-document.ts';
import { readNoteState } from './note-state.ts';
import { LineageError, TooCostly, TooLarge, UnknownServerUpdate } from './outcomes.ts';
import { preserveRejectedText } from './rejected-text.ts';
import { UpdateLog } from './update-log.ts';
import { MalformedUpdate } from './update-validator.ts';

/** A note's document as one of those who use it sees it. Disposing of it is leaving. */
export interface LiveNote extends Disposable {
  /** What somebody with this state vector (null: with nothing) lacks, as a Yjs update (v1), all of it on disk. */
  missingFor(stateVector: Uint8Array | null): Promise<Uint8Array | ApplyRefusal>;
  /** The document's state vector, all of it on disk. */
  stateVector(): Promise<Uint8Array>;
  /** Whether an update holds anything that the document has not; what cannot be read does. */
  lacks(update: Uint8Array): boolean;
  /**
   * Takes edits that came together, in their order. Resolves once they are on disk and the other watchers were told, to
   * what became of each. Throws `unavailable`, `note_not_found`.
   */
  apply(updates: readonly Uint8Array[], actor: Actor): Promise<ApplyOutcome[]>;
}

/**
 * What became of an edit: `known` when none that came with it added anything, `missing` when it depends on edits that are
 * not here (it was not taken: ask for them).
 */
export type ApplyOutcome = 'stored' | 'known' | 'missing' | ApplyRefusal;

/**
 * Why a peer's bytes are not taken, for good: they belong to another document, or take too long to take (their text is
 * kept as a version of the note), they are no update or state vector of a note, or the note would grow too large.
 */
export type ApplyRefusal = 'foreign' | 'costly' | 'malformed' | 'too_large';

/** What is held and waits, of this process. */
export interface LiveStats {
  /** Open ones, and about how many bytes they take. */
  readonly documents: number;
  readonly bytes: number;
  /** Edits on their way to the log, and their bytes. */
  readonly edits: number;
  readonly editBytes: number;
  /** Notes whose edits are on disk and wait for the note to be quiet. */
  readonly unflushed: number;
}

/** The documents of notes that people edit over sockets. */
export interface LiveNotes {
  /** Joins a note's document. Throws `note_not_found`, `note_unreadable`, `unavailable`. */
  open(vault: OpenVault, id: NoteId, watcher: Watcher): Promise<LiveNote>;
  /** Folds every acknowledged edit of the vault into its note, so that whatever is read next shows it. */
  flush(vault: OpenVault): Promise<void>;
  /** The vault of a live note, whoever's it is. */
  vaultOf(id: NoteId): Promise<VaultId | null>;
  /** Lets go of a vault's documents: it was deleted, or somebody lost access to all of it. */
  closeVault(vaultId: VaultId): void;
  /** Folds in what has been waiting for long, whichever process took it: for the background. */
  flushOverdue(): Promise<void>;
  /** Looks whether open documents are behind what other processes wrote: the net under the bus. */
  catchUp(): Promise<void>;
  stats(): LiveStats;
}

const BUS_TOPIC = 'note';
/** Edits older than this were left by a process that is gone, or a flush that failed. */
const OVERDUE_MS = 10_000;
const OVERDUE_SLICE = 200;
/** Notes of one vault that are flushed at once. */
const FLUSH_CONCURRENCY = 8;
/** What open documents may take together. */
const BYTES_MAX = 1024 * 1024 * 1024;
/** A document in memory, beside its text: measured on notes written once. */
const DOCUMENT_BYTES = 6_000;
const BYTES_A_UNIT = 4;

interface Loading {
  readonly document: Promise<LiveDocument>;
  /** The note was written while it was being read. */
  touched: boolean;
}

export class DocumentManager implements LiveNotes, LiveNotifications, AsyncDisposable {
  readonly #deps: LiveDeps;
  readonly #log: UpdateLog;
  readonly #documents = new Map<NoteId, LiveDocument>();
  readonly #loading = new Map<NoteId, Loading>();
  readonly #schedule: FlushSchedule;
  readonly #flushing = new Coalescer<NoteId>();
  readonly #refreshing = new Coalescer<NoteId>();
  readonly #subscription: Disposable;
  /** Vaults that may have edits that wait, and how many came while this is known: taken out when none was found. */
  readonly #unflushed = new Map<VaultId, number>();
  #atStart: Promise<void> | undefined;
  /** About what each open document takes, and all of them. */
  readonly #weights = new Map<NoteId, number>();
  #bytes = 0;

  constructor(deps: LiveDeps) {
    this.#deps = deps;
    this.#log = new UpdateLog(deps.db, deps.clock);
    // What fails is on disk, and tried again by whoever reads the note or by the background.
    const flush = (vault: OpenVault, id: NoteId) =>
      this.#flushOne(vault, id).catch((error) => deps.report(error, { note: id }));
    this.#schedule = new FlushSchedule(flush, deps.clock);
    this.#subscription = deps.bus.subscribe(BUS_TOPIC, (id) => this.#written(id as NoteId));
  }

  async open(vault: OpenVault, id: NoteId, watcher: Watcher): Promise<LiveNote> {
    let document = await this.#document(vault, id);
    // It may have gone from memory since: who watched it would hear of nobody else.
    while (this.#documents.get(id) !== document) document = await this.#document(vault, id);
    const watching = document.watch(watcher);
    return {
      missingFor: (stateVector) => document.missingFor(stateVector).catch(refusalOf),
      stateVector: () => document.stateVector(),
      lacks: (update) => document.lacks(update),
      apply: (updates, actor) => this.#apply(document, updates, actor, watcher),
      [Symbol.dispose]: () => {
        watching[Symbol.dispose]();
        if (document.watchers === 0) this.#release(document);
      },
    };
  }

  async flush(vault: OpenVault): Promise<void> {
    const waiting = await this.#waitingIn(vault.id);
    for (let at = 0; at < waiting.length; at += FLUSH_CONCURRENCY) {
      const slice = waiting.slice(at, at + FLUSH_CONCURRENCY).map(async (id, place) => {
        // Begun one in each turn of the event loop: whoever types waits for one of them.
        for (let turn = 0; turn < place; turn++) await nextTurn();
        await this.#flushReadable(vault, id);
      });
      await Promise.all(slice);
    }
  }

  /** The notes of a vault with edits that wait. Alone with its database, a process need not ask it. */
  async #waitingIn(vaultId: VaultId): Promise<NoteId[]> {
    const { db, singleProcess } = this.#deps;
    if (singleProcess && !(await this.#mayWait(vaultId))) return [];
    const edits = this.#unflushed.get(vaultId);
    const rows = await db.all(store.findWaitingIn, { vault: vaultId });
    // One that came meanwhile may have missed the look by a moment.
    if (rows.length === 0 && this.#unflushed.get(vaultId) === edits) this.#unflushed.delete(vaultId);
    return rows.map((row) => row.note_id as NoteId);
  }

  async #mayWait(vaultId: VaultId): Promise<boolean> {
    this.#atStart ??= runShared(() => this.#readWaiting()).catch((error) => {
      // Asked again: a database that was away once must not keep people out for ever.
      this.#atStart = undefined;
      throw error;
    });
    await this.#atStart;
    return this.#unflushed.has(vaultId);
  }

  #mark(vaultId: VaultId): void {
    this.#unflushed.set(vaultId, (this.#unflushed.get(vaultId) ?? 0) + 1);
  }

  /** What an earlier process left. */
  async #readWaiting(): Promise<void> {
    const rows = await this.#deps.db.all(store.findVaultsWaiting, {});
    for (const row of rows) this.#mark(row.vault_id as VaultId);
  }

  async vaultOf(id: NoteId): Promise<VaultId | null> {
    const row = await this.#deps.db.get(store.findVaultOf, { id });
    return row === undefined ? null : (row.vault_id as VaultId);
  }

  closeVault(vaultId: VaultId): void {
    for (const document of [...this.#documents.values()]) {
      if (document.vault.id === vaultId) this.#drop(document, 'lost');
    }
  }

  async flushOverdue(): Promise<void> {
    const { db, clock, vaults } = this.#deps;
    const before = uuidFloor(clock.now() - OVERDUE_MS);
    for (let after = uuidFloor(0); ; ) {
      const rows = await db.all(store.findWaitingBetween, { after, before, limit: OVERDUE_SLICE });
      const notes = new Map(rows.map((row) => [row.note_id as NoteId, row.vault_id as VaultId]));
      for (const [id, vaultId] of notes) {
        try {
          const vault = await vaults.openAsSystem(vaultId);
          if (vault !== null) await this.#flushOne(vault, id);
        } catch (error) {
          // A vault that cannot be opened must not hold up the others.
          if (!(error instanceof NotevaultError)) throw error;
          this.#deps.report(error, { note: id });
        }
      }
      const last = rows.at(-1);
      if (last === undefined || rows.length < OVERDUE_SLICE) return;
      // Past those of a damaged note too, which stay.
      after = last.id;
    }
  }

  async catchUp(): Promise<void> {
    const open = [...this.#documents.keys()];
    const states = await this.#deps.db.allMany(store.findStates, {}, open);
    for (const { id, revision, waiting } of states) {
      const document = this.#documents.get(id as NoteId);
      if (document === undefined || (document.revision === revision && document.waiting === waiting)) continue;
      await this.#refresh(id as NoteId);
    }
  }

  stats(): LiveStats {
    const { edits, editBytes } = this.#log;
    return { documents: this.#documents.size, bytes: this.#bytes, edits, editBytes, unflushed: this.#schedule.size };
  }

  changed(id: NoteId): void {
    this.#written(id);
    this.#deps.bus.publish(BUS_TOPIC, id);
  }

  deleted(id: NoteId): void {
    const document = this.#documents.get(id);
    if (document !== undefined) this.#drop(document, 'note_deleted');
    this.#touch(id);
    this.#deps.bus.publish(BUS_TOPIC, id);
  }

  /** Folds in what waits, and lets go of everything. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#subscription[Symbol.dispose]();
    await this.#log[Symbol.asyncDispose]();
    await this.#schedule.flushAll();
    for (const document of [...this.#documents.values()]) this.#drop(document, 'lost');
    await Promise.all([this.#flushing.idle(), this.#refreshing.idle()]);
  }

  async #apply(
    document: LiveDocument,
    updates: readonly Uint8Array[],
    actor: Actor,
    from: Watcher,
  ): Promise<ApplyOutcome[]> {
    try {
      const apply = async () => {
        const outcomes = await document.apply(updates, actor, from).finally(() => this.#mark(document.vault.id));
        if (outcomes.includes('stored')) this.#edited(document);
        return outcomes;
      };
      let outcomes = await apply();
      if (outcomes.some((outcome) => outcome instanceof UnknownServerUpdate)) {
        await this.#refresh(document.id);
        outcomes = await apply();
      }
      for (const outcome of outcomes) {
        const text = outcome instanceof LineageError || outcome instanceof TooCostly ? outcome.text : null;
        if (text !== null) await this.#preserveForeign(document, text, actor);
      }
      return outcomes.map((outcome) => (typeof outcome === 'string' ? outcome : refusalOf(outcome)));
    } catch (error) {
      if (document.isLost) this.#drop(document, 'lost');
      const refusal = refusalOf(error);
      return updates.map(() => refusal);
    }
  }

  #edited({ vault, id, flushedAt }: LiveDocument): void {
    this.#deps.bus.publish(BUS_TOPIC, id);
    this.#schedule.edited(vault, id, flushedAt);
  }

  /** A damaged note must not keep people from all the others. */
  async #flushReadable(vault: OpenVault, id: NoteId): Promise<void> {
    try {
      await this.#flushOne(vault, id);
    } catch (error) {
      if (!(error instanceof NotevaultError) || error.code !== 'note_unreadable') throw error;
      this.#deps.report(error, { note: id });
    }
  }

  #flushOne(vault: OpenVault, id: NoteId): Promise<void> {
    return this.#flushing.run(id, async () => {
      this.#schedule.cancel(id);
      await flushNote(this.#deps, vault, id, this.#documents.get(id));
      this.#updateWeight(id);
    });
  }

  async #document(vault: OpenVault, id: NoteId): Promise<LiveDocument> {
    const open = this.#documents.get(id);
    if (open !== undefined) return open;
    const loading = this.#loading.get(id);
    if (loading !== undefined) return loading.document;
    const one: Loading = { document: this.#load(vault, id), touched: false };
    this.#loading.set(id, one);
    try {
      return await one.document;
    } finally {
      this.#loading.delete(id);
      if (one.touched) this.#written(id);
    }
  }

  async #load(vault: OpenVault, id: NoteId): Promise<LiveDocument> {
    if (this.#bytes > BYTES_MAX) throw new NotevaultError('unavailable');
    const noteState = await readNoteState(this.#deps, vault, id);
    if (noteState === null || noteState.note.deleted_at !== null) throw new NotevaultError('note_not_found');
    const document = await LiveDocument.load(vault, noteState, this.#log, this.#deps);
    this.#documents.set(id, document);
    this.#updateWeight(id);
    return document;
  }

  /** Nobody uses it any more: it goes once all it holds is on disk and in its row. */
  async #release(document: LiveDocument): Promise<void> {
    const { id, vault } = document;
    if (document.isLost) return this.#remove(document);
    try {
      await document.durable();
      if (this.#schedule.has(id)) await this.#flushOne(vault, id);
    } catch (error) {
      this.#deps.report(error, { note: id });
    }
    if (document.watchers === 0) this.#remove(document);
  }

  #drop(document: LiveDocument, reason: 'note_deleted' | 'lost'): void {
    this.#remove(document);
    document.close(reason);
  }

  /** Once it is gone, somebody may have opened the note anew: that document stays. */
  #remove(document: LiveDocument): void {
    const { id } = document;
    if (this.#documents.get(id) !== document) return;
    this.#documents.delete(id);
    this.#updateWeight(id);
  }

  #updateWeight(id: NoteId): void {
    const document = this.#documents.get(id);
    const weight = document === undefined ? 0 : DOCUMENT_BYTES + document.length * BYTES_A_UNIT;
    this.#bytes += weight - (this.#weights.get(id) ?? 0);
    if (document === undefined) this.#weights.delete(id);
    else this.#weights.set(id, weight);
  }

  /** Somebody wrote the note's row or log. */
  #written(id: NoteId): void {
    this.#touch(id);
    if (this.#documents.has(id)) this.#refresh(id).catch((error) => this.#deps.report(error, { note: id }));
  }

  #touch(id: NoteId): void {
    const loading = this.#loading.get(id);
    if (loading !== undefined) loading.touched = true;
  }

  #refresh(id: NoteId): Promise<void> {
    return this.#refreshing.run(id, async () => {
      const document = this.#documents.get(id);
      if (document === undefined) return;
      try {
        // Mostly it was written from this very document.
        const [state] = await this.#deps.db.allMany(store.findStates, {}, [id]);
        if (state?.revision === document.revision && state.waiting === document.waiting) return;
        const noteState = await readNoteState(this.#deps, document.vault, id);
        // A note made anew under the id is another note.
        const isGone = noteState === null || noteState.note.deleted_at !== null || !document.isOf(noteState);
        if (isGone) this.#drop(document, 'note_deleted');
        else if (!document.isLost) await document.catchUpWith(noteState);
      } catch (error) {
        this.#drop(document, 'lost');
        throw error;
      }
    });
  }

  /** The text somebody tried to push is not lost: it becomes a version of the note's history. */
  async #preserveForeign({ vault, id }: LiveDocument, text: string, actor: Actor): Promise<void> {
    await preserveRejectedText(this.#deps, vault, id, text, actor).catch((error) => {
      this.#deps.report(error, { note: id });
    });
  }
}

function refusalOf(error: unknown): ApplyRefusal {
  if (error instanceof LineageError) return 'foreign';
  if (error instanceof TooCostly) return 'costly';
  if (error instanceof MalformedUpdate || error instanceof UnknownServerUpdate) return 'malformed';
  if (error instanceof TooLarge) return 'too_large';
  throw error;
}

/** The smallest UUIDv7 of a moment: ids before it are older. */
function uuidFloor(ms: number): string {
  const hex = Math.max(0, Math.trunc(ms)).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-7000-8000-000000000000`;
}
