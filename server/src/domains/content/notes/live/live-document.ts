import { setImmediate as nextTurn } from 'node:timers/promises';
import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { NoteId } from '@notevault/protocol/values/ids.ts';
import type { Doc } from 'yjs';
import type { Actor } from '../../entries/entries.ts';
import type { OpenVault } from '../../vaults/vaults.ts';
import {
  applyState,
  applyUpdate,
  applyUpdates,
  containsUpdate,
  emptyDocument,
  loadDocument,
  mergedUpdate,
  missingFor,
  snapshotOf,
  stateVectorOf,
  structsOf,
  textOf,
} from '../merge/document.ts';
import type { LiveDeps } from '../notes.deps.ts';
import { sealed } from '../sealed-note.ts';
import { clientIdOf, currentDocument } from '../writes/build-note-row.ts';
import { Durability } from './durability.ts';
import type { CloseReason, Watcher } from './live-notes.ts';
import { isLongDocument, readSlices } from './note-slices.ts';
import type { NoteState } from './note-state.ts';
import type { UpdateLog } from './update-log.ts';
import { runTrial, TrialQueue } from './updates/run-trial.ts';
import type { ApplyResult, Trial } from './updates/trial.ts';
import { UpdateCheck } from './updates/update-check.ts';
import { MalformedUpdate, scanUpdate } from './updates/update-validator.ts';

export type DocumentDeps = Pick<LiveDeps, 'compute' | 'clock' | 'trialMs'>;

type AcceptedTrial = Extract<Trial, { kind: 'accepted' }>;

/** Maximum bytes of an update that is compared with the document: a connecting client usually sends nothing new. */
const COMPARED_BYTES_MAX = 512 * 1024;

/**
 * The Yjs document of a note that somebody has open. It contains the note's stored document, the edits in the update
 * log, and those on their way to the log. It keeps these promises, held by the tests of `document-manager.*.test.ts`:
 *
 * 1. Whatever it returns, sends or acknowledges is on disk ("an edit that cannot be stored is not acknowledged").
 * 2. After an edit that could not be stored the document is lost: it takes no further edit and is never flushed ("a
 *    note is not written with an edit that could not be stored").
 * 3. Updates are applied in the order of their arrival, also while one of them is tried on a worker thread ("updates
 *    that arrive during a trial wait for it").
 * 4. An update is applied as a whole or refused as a whole; a refused one changes nothing ("each is accepted or refused
 *    on its own").
 * 5. An update that depends on edits that the document lacks is not applied ("one that depends on missing edits").
 * 6. Only the server inserts items under its own client id, and a document of another lineage is never merged ("nobody
 *    types under the client id of the server", "a document begun by a client is never merged").
 */
export class LiveDocument {
  readonly id: NoteId;
  readonly vault: OpenVault;
  readonly #doc: Doc;
  readonly #log: UpdateLog;
  readonly #deps: DocumentDeps;
  readonly #check: UpdateCheck;
  readonly #watchers = new Set<Watcher>();
  /** Distinguishes the note from one that was created anew under its id. */
  readonly #createdAt: number;
  /** The rows of the update log that the document contains. */
  readonly #seen = new Set<string>();
  /** The revision, head and snapshot of the stored document that this one contains. */
  #revision: number;
  #head: string;
  #snapshot: Uint8Array;
  /** Updates that Yjs has emitted during the current change. */
  #added: Uint8Array[] = [];
  readonly #durable = new Durability();
  readonly #trials = new TrialQueue();
  #lost = false;
  #flushedAt = Number.NEGATIVE_INFINITY;

  /** Loads a note's document, a long one in slices. Throws `note_unreadable`, `unavailable`. */
  static async load(vault: OpenVault, state: NoteState, log: UpdateLog, deps: DocumentDeps): Promise<LiveDocument> {
    if (!isLongDocument(state)) {
      const document = new LiveDocument(vault, state, log, deps, currentDocument(vault, state));
      document.#applyWaiting(state);
      return document;
    }
    const { slices, snapshot, size } = await readSlices(deps, vault, state, null);
    const doc = emptyDocument();
    for (const slice of slices) {
      if (!applyUpdate(doc, slice)) throw new NotevaultError('note_unreadable');
      await nextTurn();
    }
    if (state.updates.length === 0 && textOf(doc) !== state.note.content) throw new NotevaultError('note_unreadable');
    const document = new LiveDocument(vault, state, log, deps, doc, snapshot);
    document.#check.setSize(size);
    for (const { id } of state.updates) document.#seen.add(id);
    return document;
  }

  private constructor(
    vault: OpenVault,
    { note }: NoteState,
    log: UpdateLog,
    deps: DocumentDeps,
    doc: Doc,
    snapshot = snapshotOf(doc),
  ) {
    this.id = note.id as NoteId;
    this.vault = vault;
    this.#log = log;
    this.#deps = deps;
    this.#doc = doc;
    this.#revision = note.revision;
    this.#head = note.meta.head;
    this.#snapshot = snapshot;
    this.#createdAt = note.created_at;
    const size = { textBytes: note.size_bytes, structs: structsOf(doc) };
    this.#check = new UpdateCheck(doc, clientIdOf(vault, note), size);
    doc.on('update', (update: Uint8Array) => {
      this.#added.push(update);
    });
  }

  get watchers(): number {
    return this.#watchers.size;
  }

  get revision(): number {
    return this.#revision;
  }

  /** The number of rows in the update log, as far as is known. */
  get waiting(): number {
    return this.#seen.size;
  }

  /** When a flush last read the document, on `clock.elapsed`: later edits are in the next flush. */
  get flushedAt(): number {
    return this.#flushedAt;
  }

  /** The length of the text in UTF-16 units, from which the memory of the document is estimated. */
  get length(): number {
    return this.#doc.getText('content').length;
  }

  get isLost(): boolean {
    return this.#lost;
  }

  /** Resolves when everything in the document is on disk; rejects when that failed. */
  async durable(): Promise<void> {
    await this.#durable.reached();
  }

  watch(watcher: Watcher): Disposable {
    this.#watchers.add(watcher);
    return { [Symbol.dispose]: () => void this.#watchers.delete(watcher) };
  }

  /** See DocumentManager.open. Throws MalformedUpdate; `unavailable` when an edit could not be stored. */
  async missingFor(stateVector: Uint8Array | null): Promise<Uint8Array | 'foreign'> {
    if (stateVector !== null && this.#check.isForeign(stateVector)) return 'foreign';
    const missing = missingFor(this.#doc, stateVector);
    await this.#durable.reached();
    return missing;
  }

  async stateVector(): Promise<Uint8Array> {
    const vector = stateVectorOf(this.#doc);
    await this.#durable.reached();
    return vector;
  }

  /** Whether an update contains anything that the document lacks; true for one that is too long to compare. */
  lacks(update: Uint8Array): boolean {
    if (update.length > COMPARED_BYTES_MAX) return true;
    try {
      scanUpdate(update);
      return !containsUpdate(this.#doc, update);
    } catch {
      return true;
    }
  }

  /**
   * Applies updates of a client in their order. Those that are quick to apply are applied together before this returns,
   * as one row of the log and one message to each watcher; any other is tried on a worker thread first. Resolves to the
   * outcome of each once all are on disk and the other watchers have been notified. Throws `unavailable`,
   * `note_not_found`.
   */
  async apply(updates: readonly Uint8Array[], actor: Actor, from: Watcher | null): Promise<ApplyResult[]> {
    // The document must not change during a trial.
    if (this.#trials.isRunning) return this.#trials.run(() => this.#applyAll(updates, actor, from));
    const { count, outcomes } = this.#applyQuick(updates, actor, from);
    if (count === updates.length) return outcomes;
    const rest = this.#trials.run(() => this.#applyAll(updates.slice(count), actor, from, true));
    return (await Promise.all([outcomes, rest])).flat();
  }

  async #applyAll(updates: readonly Uint8Array[], actor: Actor, from: Watcher | null, firstNeedsTrial = false) {
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

  /** Applies or refuses the updates before the first one that needs a trial: the first `count` ones. */
  #applyQuick(updates: readonly Uint8Array[], actor: Actor, from: Watcher | null) {
    if (this.#lost) throw new NotevaultError('unavailable');
    const rejections = new Map<number, ApplyResult>();
    let count = 0;
    const applyNext = (update: Uint8Array, index: number) => {
      const verdict = this.#check.check(update);
      if (verdict === 'unsure') return false;
      count += 1;
      if (verdict !== 'quick') rejections.set(index, verdict);
      else if (!applyUpdate(this.#doc, update)) throw new MalformedUpdate('it does not hold together');
      return true;
    };
    const added = this.#change(() => {
      this.#doc.transact(() => updates.every(applyNext));
      return true;
    });
    const outcomesWith = (applied: ApplyResult) =>
      Array.from({ length: count }, (_, index) => rejections.get(index) ?? applied);
    return { count, outcomes: this.#store(added, actor, from).then(outcomesWith) };
  }

  /** Tries an update on a copy of the document, and applies it unless that would block the event loop. */
  async #applyTried(update: Uint8Array, actor: Actor, from: Watcher | null): Promise<ApplyResult> {
    if (this.#lost) throw new NotevaultError('unavailable');
    const state = missingFor(this.#doc, null);
    const trial = await runTrial(this.#deps, this.vault, state, update, this.#check.serverClient);
    if (trial.kind === 'accepted') return this.#applySlices(trial, actor, from);
    if (trial.kind === 'known') return this.#store(undefined, actor, from);
    return trial.kind === 'missing' ? 'missing' : trial;
  }

  async #applySlices({ added, slices, size }: AcceptedTrial, actor: Actor, from: Watcher | null): Promise<ApplyResult> {
    const applied = Promise.withResolvers<void>();
    this.#durable.add(applied.promise);
    try {
      for (const slice of slices) {
        if (this.#lost) throw new NotevaultError('unavailable');
        this.#change(() => applyUpdate(this.#doc, slice));
        await nextTurn();
      }
    } catch (error) {
      applied.reject(error);
      this.close('lost');
      throw error;
    }
    this.#check.setSize(size);
    const stored = this.#store(added, actor, from);
    applied.resolve();
    return stored;
  }

  /** Stores what was added and notifies the watchers; if nothing was added, waits until the document is on disk. */
  async #store(added: Uint8Array | undefined, actor: Actor, from: Watcher | null): Promise<'stored' | 'known'> {
    if (added === undefined) {
      await this.#durable.reached();
      return 'known';
    }
    const stored = this.#log.append({ vault: this.vault, note: this.id, update: added, actor, document: this });
    this.#durable.add(stored);
    try {
      this.#seen.add(await stored);
    } catch (error) {
      // The document contains an edit that is not on disk, and nobody may build on it.
      this.close('lost');
      throw error;
    }
    this.#notify(added, from);
    return 'stored';
  }

  /** Whether a row is of this note, and not of one that was created anew under its id. */
  isOf({ note }: NoteState): boolean {
    return note.created_at === this.#createdAt;
  }

  /**
   * Applies edits that others have stored since, a long document in slices, and notifies the watchers. The state must
   * be of this note. Throws `note_unreadable`, `unavailable`.
   */
  async catchUpWith(state: NoteState): Promise<void> {
    if (!isLongDocument(state)) return this.#catchUp(state);
    const { note, updates } = state;
    const seen = [...this.#seen];
    const { slices, snapshot } = await readSlices(this.#deps, this.vault, state, stateVectorOf(this.#doc));
    for (const slice of slices) {
      if (this.#lost) return;
      this.#applyStored(() => applyUpdate(this.#doc, slice));
      await nextTurn();
    }
    // Meanwhile the row was written again, from this document.
    if (note.revision < this.#revision) return;
    this.#setStored(note.revision, note.meta.head, snapshot);
    const waiting = new Set(updates.map(({ id }) => id));
    for (const id of waiting) this.#seen.add(id);
    for (const id of seen) if (!waiting.has(id)) this.#seen.delete(id);
  }

  #catchUp(state: NoteState): void {
    const { note, doc, updates } = state;
    // A rename writes the row but not the document.
    if (note.meta.head !== this.#head && doc !== null) {
      const stored = sealed.openDoc(this.vault, note.id, note.version, doc);
      this.#applyStored(() => applyState(this.#doc, stored));
      this.#setStored(note.revision, note.meta.head, snapshotOf(loadDocument(stored)));
    }
    this.#revision = note.revision;
    this.#applyWaiting(state);
    // Rows that have left the log are in the stored document now.
    const waiting = new Set(updates.map(({ id }) => id));
    for (const id of this.#seen) if (!waiting.has(id)) this.#seen.delete(id);
  }

  /** Applies the rows of the log that the document lacks. */
  #applyWaiting({ updates }: NoteState): void {
    const fresh = updates.filter(({ id }) => !this.#seen.has(id));
    if (fresh.length === 0) return;
    this.#applyStored(() => {
      const opened = fresh.flatMap((row) => row.open().updates);
      if (!applyUpdates(this.#doc, opened)) throw new NotevaultError('note_unreadable');
      return true;
    });
    for (const { id } of fresh) this.#seen.add(id);
  }

  /** Applies what is on disk already. */
  #applyStored(change: () => boolean): void {
    const added = this.#change(change);
    if (added === undefined) return;
    this.#check.addStored(added.length);
    this.#notify(added, null);
  }

  /**
   * Returns the document with everything in a stored state, and the snapshot of the row's version, for a flush.
   * Undefined when the document is lost or the state is of another note.
   */
  readForFlush(state: NoteState): { doc: Doc; before: Uint8Array } | undefined {
    if (this.#lost || !this.isOf(state)) return undefined;
    this.#catchUp(state);
    this.flushBegins();
    return { doc: this.#doc, before: this.#snapshot };
  }

  /** Call when a flush reads the edits that it folds into the row. */
  flushBegins(): void {
    this.#flushedAt = this.#deps.clock.elapsed();
  }

  /** Call when the row was written from this document. */
  flushed(written: { revision: number; head: string; snapshot: Uint8Array; updates: readonly string[] }): void {
    for (const id of written.updates) this.#seen.delete(id);
    if (written.revision >= this.#revision) this.#setStored(written.revision, written.head, written.snapshot);
  }

  close(reason: CloseReason): void {
    this.#lost = true;
    for (const watcher of [...this.#watchers]) watcher.closed(reason);
    this.#watchers.clear();
  }

  /** @param except the watcher that the update came from. */
  #notify(update: Uint8Array, except: Watcher | null): void {
    for (const watcher of [...this.#watchers]) if (watcher !== except) watcher.update(update);
  }

  #setStored(revision: number, head: string, snapshot: Uint8Array): void {
    this.#revision = revision;
    this.#head = head;
    this.#snapshot = snapshot;
  }

  /** Changes the document; returns what was added (v1), if anything. A failed change makes the document unusable. */
  #change(change: () => boolean): Uint8Array | undefined {
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
}
