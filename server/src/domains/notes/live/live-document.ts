import { setImmediate as nextTurn } from 'node:timers/promises';
import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { NoteId } from '@notevault/protocol/ids.ts';
import type { Doc } from 'yjs';
import { TaskFailed, TaskLimitError } from '../../../concurrency/worker-pool.ts';
import type { Actor } from '../../entries/entries.ts';
import type { OpenVault } from '../../vaults/vaults.ts';
import {
  applyState,
  applyUpdate,
  applyUpdates,
  containsUpdate,
  emptyDocument,
  genesisOf,
  loadDocument,
  mergedUpdate,
  missingFor,
  snapshotOf,
  stateVectorOf,
  structsOf,
  transact,
} from '../merge/document.ts';
import type { LiveDeps } from '../notes.deps.ts';
import { sealed } from '../sealed-note.ts';
import { clientIdOf } from '../writes/build-note-row.ts';
import { offload } from '../writes/offload.ts';
import { areLarge, isLarge, postVault } from '../writes/task-transfer.ts';
import { admit, type DocumentSize, foreignText, isTooLarge } from './admission.ts';
import type { NoteSlices } from './note-slices.ts';
import { documentOf, type NoteState, postState } from './note-state.ts';
import {
  type ApplyRejection,
  type ApplyResult,
  LineageError,
  TooCostly,
  TooLarge,
  UnknownServerUpdate,
} from './outcomes.ts';
import { QUICK_BYTES, quickCheck } from './quick-check.ts';
import type { Trial } from './trial.ts';
import type { UpdateLog } from './update-log.ts';
import { MalformedUpdate, readStateVector, type ScannedUpdate, scanUpdate } from './update-validator.ts';

/** Who follows a document. */
export interface Watcher {
  /** An update (Yjs, v1) of somebody else, on disk by now. Called in the order in which updates came to be there. */
  update(update: Uint8Array): void;
  /** The document is over. `lost`: for now only; who reconnects finds it again. */
  closed(reason: CloseReason): void;
}

export type CloseReason = 'note_deleted' | 'note_too_large' | 'lost';

type DocumentDeps = Pick<LiveDeps, 'compute' | 'clock'>;

/** Updates that were done with at once. */
interface Quick {
  readonly count: number;
  readonly outcomes: Promise<ApplyResult[]>;
}

type AcceptedTrial = Extract<Trial, { kind: 'taken' }>;

/** A read-only client sends what it has when it connects: mostly nothing that the server lacks. */
const READ_BYTES_MAX = 512 * 1024;

/** Processor time of a trial: reading the document, taking the update, and what is sent back. */
const TRIAL_MS = 3_000;

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
  readonly #serverClient: number;
  /** Tells the note from one that was made anew under its id. */
  readonly #createdAt: number;
  readonly #deps: DocumentDeps;
  /** At least the bytes of the text, and at least the pieces of the document. */
  #size: DocumentSize;
  readonly #watchers = new Set<Watcher>();
  /** Rows of the log that are in the document. */
  readonly #seen = new Set<string>();
  /** The revision of the note's row whose document is in this one, with that document's head and snapshot. */
  #revision: number;
  #head: string;
  #snapshot: Uint8Array;
  /** What the last applied update added. */
  #added: Uint8Array[] = [];
  /** Ends when everything applied so far is on disk. */
  #durable: Promise<unknown> = Promise.resolve();
  /** Ends with the last update that is tried on another thread: what comes meanwhile waits behind it. */
  #trials: Promise<unknown> | undefined;
  #lost = false;
  /** When it was last taken to write its row from, on `clock.elapsed`: what comes after is for the next. */
  #flushedAt = Number.NEGATIVE_INFINITY;

  /** Reads a note's document into memory, a long one in slices. Throws `note_unreadable`, `unavailable`. */
  static async load(vault: OpenVault, state: NoteState, log: UpdateLog, deps: DocumentDeps): Promise<LiveDocument> {
    if (!isLongDocument(state)) {
      const document = new LiveDocument(vault, state, log, deps, documentOf(vault, state));
      document.#applyWaiting(state);
      return document;
    }
    const { slices, snapshot, size } = await slicesOf(deps, vault, state, null);
    const doc = emptyDocument();
    for (const slice of slices) {
      if (!applyUpdate(doc, slice)) throw new NotevaultError('note_unreadable');
      await nextTurn();
    }
    const document = new LiveDocument(vault, state, log, deps, doc, snapshot);
    document.#size = size;
    for (const { id } of state.updates) document.#seen.add(id);
    return document;
  }

  private constructor(
    vault: OpenVault,
    state: NoteState,
    log: UpdateLog,
    deps: DocumentDeps,
    doc: Doc,
    snapshot = snapshotOf(doc),
  ) {
    this.id = state.note.id as NoteId;
    this.vault = vault;
    this.#log = log;
    this.#deps = deps;
    this.#doc = doc;
    this.#revision = state.note.revision;
    this.#head = state.note.meta.head;
    this.#snapshot = snapshot;
    this.#genesis = genesisOf(this.#doc);
    this.#serverClient = clientIdOf(vault, state.note);
    this.#createdAt = state.note.created_at;
    this.#size = { textBytes: state.note.size_bytes, structs: structsOf(this.#doc) };
    this.#doc.on('update', (update: Uint8Array) => {
      this.#added.push(update);
    });
  }

  get watchers(): number {
    return this.#watchers.size;
  }

  get revision(): number {
    return this.#revision;
  }

  /** How many rows of the log, as far as is known. */
  get waiting(): number {
    return this.#seen.size;
  }

  get flushedAt(): number {
    return this.#flushedAt;
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
   * Takes a peer's updates in their order. What is quick to take is taken in one go, before this returns: what it adds is
   * one row of the log and one message to each watcher. Anything else is tried on another thread first. Resolves once all
   * is on disk and the other watchers were told, to what became of each. Throws `unavailable`, `note_not_found`.
   */
  async apply(updates: readonly Uint8Array[], actor: Actor, from: Watcher | null): Promise<ApplyResult[]> {
    // While one is tried, the document must stay as it was for the trial.
    if (this.#trials !== undefined) return this.#afterTrials(() => this.#applyAll(updates, actor, from));
    const { count, outcomes } = this.#applyQuick(updates, actor, from);
    if (count === updates.length) return outcomes;
    const rest = this.#afterTrials(() => this.#applyAll(updates.slice(count), actor, from, true));
    return (await Promise.all([outcomes, rest])).flat();
  }

  async #afterTrials<Result>(work: () => Promise<Result>): Promise<Result> {
    const run = (this.#trials ?? Promise.resolve()).then(work);
    const over = run.then(
      () => undefined,
      () => undefined,
    );
    this.#trials = over;
    void over.then(() => {
      if (this.#trials === over) this.#trials = undefined;
    });
    return run;
  }

  async #applyAll(
    updates: readonly Uint8Array[],
    actor: Actor,
    from: Watcher | null,
    firstNeedsTrial = false,
  ): Promise<ApplyResult[]> {
    const outcomes: (ApplyResult | Promise<ApplyResult[]>)[] = [];
    let needsTrial = firstNeedsTrial;
    for (let at = 0; at < updates.length; ) {
      const update = updates[at];
      if (needsTrial && update !== undefined) {
        outcomes.push(await this.#applyTried(update, actor, from));
        at += 1;
      }
      const quick = this.#applyQuick(updates.slice(at), actor, from);
      outcomes.push(quick.outcomes);
      at += quick.count;
      needsTrial = true;
    }
    return (await Promise.all(outcomes)).flat();
  }

  /** Takes the updates up to the first that is not sure to be quick; `count` of them are done with. */
  #applyQuick(updates: readonly Uint8Array[], actor: Actor, from: Watcher | null): Quick {
    if (this.#lost) throw new NotevaultError('unavailable');
    const rejections = new Map<number, ApplyResult>();
    let count = 0;
    const applyNext = (update: Uint8Array, index: number) => {
      const verdict = this.#check(update);
      if (verdict === 'unsure') return false;
      count += 1;
      if (verdict !== 'quick') rejections.set(index, verdict);
      else if (!applyUpdate(this.#doc, update)) throw new MalformedUpdate('it does not hold together');
      return true;
    };
    const added = this.#apply(() => {
      transact(this.#doc, () => updates.every(applyNext));
      return true;
    });
    const outcomesWith = (taken: ApplyResult) =>
      Array.from({ length: count }, (_, index) => rejections.get(index) ?? taken);
    return { count, outcomes: this.#store(added, actor, from).then(outcomesWith) };
  }

  /** Puts what was added on disk and tells the watchers; without anything added, waits for what is on its way. */
  async #store(added: Uint8Array | undefined, actor: Actor, from: Watcher | null): Promise<'stored' | 'known'> {
    if (added === undefined) {
      await this.#durable;
      return 'known';
    }
    const stored = this.#log.append({ vault: this.vault, note: this.id, update: added, actor, document: this });
    this.#endsWith(stored);
    try {
      this.#seen.add(await stored);
    } catch (error) {
      // The document holds what is not on disk: nobody may build on it.
      this.close('lost');
      throw error;
    }
    this.#notify(added, from);
    return 'stored';
  }

  /** Nothing leaves the document before this has ended well. */
  #endsWith(work: Promise<unknown>): void {
    this.#durable = Promise.all([this.#durable, work]);
    // Whoever waits for it is told of its failure; nobody has to.
    this.#durable.catch(() => {});
  }

  /** Tries an update on a copy of the document, on another thread; takes it when the event loop can bear what it costs. */
  async #applyTried(update: Uint8Array, actor: Actor, from: Watcher | null): Promise<ApplyResult> {
    if (this.#lost) throw new NotevaultError('unavailable');
    const trial = await this.#try(update);
    switch (trial.kind) {
      case 'taken':
        return this.#takeSlices(trial, actor, from);
      case 'known':
        return this.#store(undefined, actor, from);
      case 'missing':
        return 'missing';
      case 'foreign':
        return new LineageError(trial.text);
      case 'costly':
        return new TooCostly(trial.text);
      case 'ahead':
        return new UnknownServerUpdate();
      case 'too_large':
        return new TooLarge();
      case 'malformed':
        return new MalformedUpdate('it does not hold together');
    }
  }

  async #try(update: Uint8Array): Promise<Trial> {
    const state = missingFor(this.#doc, null);
    const input = { state, update: update.slice(), ownClient: this.#serverClient };
    const bytes = state.length + update.length;
    try {
      return await offload(this.#deps, this.vault, 'tryUpdate', input, bytes, { cpuMs: TRIAL_MS });
    } catch (error) {
      if (error instanceof TaskFailed) return { kind: 'malformed' };
      if (!(error instanceof TaskLimitError)) throw error;
      const text = await offload(this.#deps, this.vault, 'textOfUpdate', { update: update.slice() }, update.length);
      return { kind: 'costly', text };
    }
  }

  /** Takes what was tried, with a turn of the event loop for others after each slice. */
  async #takeSlices({ added, slices, size }: AcceptedTrial, actor: Actor, from: Watcher | null): Promise<ApplyResult> {
    const taken = Promise.withResolvers<void>();
    this.#endsWith(taken.promise);
    try {
      for (const slice of slices) {
        if (this.#lost) throw new NotevaultError('unavailable');
        this.#apply(() => applyUpdate(this.#doc, slice));
        await nextTurn();
      }
    } catch (error) {
      taken.reject(error);
      this.close('lost');
      throw error;
    }
    this.#size = size;
    const stored = this.#store(added, actor, from);
    taken.resolve();
    return stored;
  }

  /** Whether an update holds anything that is not in the document. What is long is not read for it: then it does. */
  lacks(update: Uint8Array): boolean {
    if (update.length > READ_BYTES_MAX) return true;
    try {
      scanUpdate(update);
      return !containsUpdate(this.#doc, update);
    } catch {
      return true;
    }
  }

  /** Whether a row is of the note that this is the document of, not of one that was made anew under its id. */
  isOf({ note }: NoteState): boolean {
    return note.created_at === this.#createdAt;
  }

  /** Takes what others have put on disk since, and tells the watchers. The row must be of this note. Throws `note_unreadable`. */
  catchUp(state: NoteState): void {
    const { note, doc, updates } = state;
    // A rename writes the row, but the document stays.
    if (note.meta.head !== this.#head && doc !== null) {
      const state = sealed.openDoc(this.vault, note.id, note.version, doc);
      this.#applyOthers(() => applyState(this.#doc, state));
      this.#snapshot = snapshotOf(loadDocument(state));
      this.#head = note.meta.head;
    }
    this.#revision = note.revision;
    this.#applyWaiting(state);
    // Rows that are gone are in the stored document now.
    const waiting = new Set(updates.map(({ id }) => id));
    for (const id of this.#seen) if (!waiting.has(id)) this.#seen.delete(id);
  }

  /** As catchUp, a long document in slices. Throws `unavailable` too. */
  async catchUpWith(state: NoteState): Promise<void> {
    if (!isLongDocument(state)) return this.catchUp(state);
    const { note, updates } = state;
    const seen = [...this.#seen];
    const { slices, snapshot } = await slicesOf(this.#deps, this.vault, state, stateVectorOf(this.#doc));
    for (const slice of slices) {
      if (this.#lost) return;
      this.#applyOthers(() => applyUpdate(this.#doc, slice));
      await nextTurn();
    }
    // The row was written again meanwhile, from this very document.
    if (note.revision < this.#revision) return;
    this.#snapshot = snapshot;
    this.#head = note.meta.head;
    this.#revision = note.revision;
    const waiting = new Set(updates.map(({ id }) => id));
    for (const id of waiting) this.#seen.add(id);
    for (const id of seen) if (!waiting.has(id)) this.#seen.delete(id);
  }

  /**
   * The document with all that a stored state holds, and the snapshot of its row's version; for flushing it. Undefined
   * when it is lost, or the row is of another note.
   */
  upTo(state: NoteState): { doc: Doc; before: Uint8Array } | undefined {
    if (this.#lost || !this.isOf(state)) return undefined;
    this.catchUp(state);
    this.folded();
    return { doc: this.#doc, before: this.#snapshot };
  }

  /** Its row is about to be written with what waits. */
  folded(): void {
    this.#flushedAt = this.#deps.clock.elapsed();
  }

  /** The row was written from this document. */
  flushed(written: { revision: number; head: string; snapshot: Uint8Array; updates: readonly string[] }): void {
    for (const id of written.updates) this.#seen.delete(id);
    if (written.revision < this.#revision) return;
    this.#revision = written.revision;
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

  #applyWaiting({ updates }: NoteState): void {
    const fresh = updates.filter(({ id }) => !this.#seen.has(id));
    if (fresh.length === 0) return;
    this.#applyOthers(() => {
      const state = applyUpdates(
        this.#doc,
        fresh.flatMap((row) => row.open().updates),
      );
      if (!state) throw new NotevaultError('note_unreadable');
      return true;
    });
    for (const { id } of fresh) this.#seen.add(id);
  }

  /** Takes what is on disk already. */
  #applyOthers(change: () => boolean): void {
    const added = this.#apply(change);
    const { textBytes, structs } = this.#size;
    this.#size = { textBytes: textBytes + (added?.length ?? 0), structs };
    this.#notify(added, null);
  }

  /** What becomes of an update: it is taken at once (`quick`), not without a trial (`unsure`), or not at all. */
  #check(update: Uint8Array): 'quick' | 'unsure' | 'missing' | ApplyRejection {
    if (update.length > QUICK_BYTES) return 'unsure';
    try {
      const admitted = admit(this.#doc, this.#serverClient, update);
      if (admitted === 'missing') return admitted;
      if (admitted === 'ahead') return new UnknownServerUpdate();
      if (admitted === 'too_large') return new TooLarge();
      if (admitted === 'foreign') return foreignOf(update);
      return this.#checkCost(admitted);
    } catch (error) {
      if (error instanceof MalformedUpdate) return error;
      throw error;
    }
  }

  #checkCost(scan: ScannedUpdate): 'quick' | 'unsure' | MalformedUpdate {
    const first = this.#verdictOn(scan);
    if (first !== 'unsure') return first;
    // Pieces were counted as if none had been joined again.
    this.#size = { ...this.#size, structs: structsOf(this.#doc) };
    return this.#verdictOn(scan);
  }

  #verdictOn(scan: ScannedUpdate): 'quick' | 'unsure' | MalformedUpdate {
    const { textBytes, structs } = this.#size;
    // An item goes in by parting another: three for one.
    const size = { textBytes: textBytes + scan.textBytes, structs: structs + 3 * scan.structs };
    if (isTooLarge(size)) return 'unsure';
    const verdict = quickCheck(this.#doc, scan, size.structs);
    if (verdict === 'broken') return new MalformedUpdate('its items wait for each other');
    if (verdict === 'quick') this.#size = size;
    return verdict;
  }

  /** Changes the document; resolves to what came to it (v1), or undefined. A document left half changed is given up. */
  #apply(change: () => boolean): Uint8Array | undefined {
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

  #notify(update: Uint8Array | undefined, except: Watcher | null): void {
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
}

/** A foreign update with its text, where that is quick to find out. */
function foreignOf(update: Uint8Array): 'unsure' | LineageError | MalformedUpdate {
  if (scanUpdate(update).items === null) return 'unsure';
  try {
    return new LineageError(foreignText(update));
  } catch (error) {
    return new MalformedUpdate('it does not hold together', { cause: error });
  }
}

function isLongDocument({ note, doc, updates }: NoteState): boolean {
  return isLarge(note, doc) || areLarge(updates);
}

function slicesOf(
  deps: DocumentDeps,
  vault: OpenVault,
  state: NoteState,
  since: Uint8Array | null,
): Promise<NoteSlices> {
  const input = { vault: postVault(vault, 0), state: postState(state), since };
  return offload(deps, vault, 'sliceNote', input, 2 * state.note.content.length);
}
