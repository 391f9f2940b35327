import { setImmediate as nextTurn } from 'node:timers/promises';
import { NotevaultError } from '@notevault/protocol/errors.ts';
import { GB } from '@notevault/protocol/values/byte-units.ts';
import type { NoteId, VaultId } from '@notevault/protocol/values/ids.ts';
import { Coalescer } from '../../../../concurrency/coalesce.ts';
import { runShared } from '../../../../concurrency/tenant.ts';
import { runUnder } from '../../../foundation/rights/rights.ts';
import type { Actor } from '../../entries/entries.ts';
import type { OpenVault } from '../../vaults/vaults.ts';
import type { LiveDeps } from '../notes.deps.ts';
import { flushNote, overdueNotes } from './flush/flush.ts';
import { FlushSchedule } from './flush/flush-schedule.ts';
import * as store from './live.store.ts';
import { LiveDocument } from './live-document.ts';
import type { ApplyOutcome, CloseReason, Watcher } from './live-notes.ts';
import { readNoteState } from './note-state.ts';
import { OpenDocuments } from './open-documents.ts';
import { preserveRejectedText } from './rejected-text.ts';
import { UpdateLog } from './update-log.ts';
import type { ApplyResult } from './updates/trial.ts';
import { MalformedUpdate } from './updates/update-validator.ts';

const BUS_TOPIC = 'note';
/** Notes of one vault that are flushed at the same time. */
const FLUSH_CONCURRENCY = 8;
/** The limit on the estimated memory of all open documents. */
const BYTES_MAX = GB;

interface PendingDocument {
  readonly document: Promise<LiveDocument>;
  /** Whether the note was written while it was loaded. */
  written: boolean;
}

/** Opens, flushes and closes the live documents of this process, and keeps them up to date with the database. */
export class DocumentManager implements AsyncDisposable {
  readonly #deps: LiveDeps;
  readonly #log: UpdateLog;
  readonly #documents = new OpenDocuments();
  readonly #loading = new Map<NoteId, PendingDocument>();
  readonly #schedule: FlushSchedule;
  readonly #flushing = new Coalescer<NoteId>();
  readonly #refreshing = new Coalescer<NoteId>();
  readonly #subscription: Disposable;

  constructor(deps: LiveDeps) {
    this.#deps = deps;
    this.#log = new UpdateLog(deps);
    // The edits of a failed flush stay in the log; the next read of the note or the background job tries again.
    const flush = (vault: OpenVault, id: NoteId) => this.#flushOne(vault, id).catch((error) => this.#report(error, id));
    this.#schedule = new FlushSchedule(flush, deps.clock);
    this.#subscription = deps.bus.subscribe(BUS_TOPIC, (id) => this.#written(id as NoteId));
  }

  /** Throws `note_not_found`, `note_unreadable`, `unavailable`. */
  async open(vault: OpenVault, id: NoteId, watcher: Watcher) {
    let document = await this.#document(vault, id);
    // It may have been closed meanwhile, and then its watchers would see no edit of others.
    while (this.#documents.get(id) !== document) document = await this.#document(vault, id);
    const watching = document.watch(watcher);
    return {
      /** Resolves to a Yjs update (v1) of what a client lacks (null: it is empty); all of it is on disk. */
      missingFor: (stateVector: Uint8Array | null) => document.missingFor(stateVector).catch(malformedIf),
      /** All of it is on disk. */
      stateVector: () => document.stateVector(),
      /** Whether an update contains anything that the document lacks; true for an invalid one. */
      lacks: (update: Uint8Array) => document.lacks(update),
      /**
       * Applies edits that arrived together, in their order. Resolves to the outcome of each once all are on disk and the
       * other watchers have been notified. Throws `unavailable`, `note_not_found`.
       */
      apply: (updates: readonly Uint8Array[], actor: Actor) => this.#apply(document, updates, actor, watcher),
      [Symbol.dispose]: () => {
        watching[Symbol.dispose]();
        if (document.watchers === 0) this.#release(document);
      },
    };
  }

  /** Folds every acknowledged edit of the vault into its note, so that the next read contains it. */
  async flush(vault: OpenVault): Promise<void> {
    const rows = await this.#deps.db.all(store.findWaitingIn, { vault: vault.id });
    const waiting = rows.map((row) => row.note_id as NoteId);
    for (let at = 0; at < waiting.length; at += FLUSH_CONCURRENCY) {
      const slice = waiting.slice(at, at + FLUSH_CONCURRENCY).map(async (id, index) => {
        // Start one per turn of the event loop, so that a client's edit waits for at most one of them.
        for (let turn = 0; turn < index; turn++) await nextTurn();
        await this.#flushReadable(vault, id);
      });
      await Promise.all(slice);
    }
  }

  async vaultOf(id: NoteId): Promise<VaultId | null> {
    const row = await this.#deps.db.get(store.findVaultOf, { id });
    return row === undefined ? null : (row.vault_id as VaultId);
  }

  /** Closes the documents of a vault that was deleted, or to which somebody lost all access. */
  closeVault(vaultId: VaultId): void {
    for (const document of this.#documents.all) if (document.vault.id === vaultId) this.#close(document, 'lost');
  }

  /** Flushes edits that have been waiting for long, from whichever process. For a background job. */
  async flushOverdue(): Promise<void> {
    const { db, clock, vaults } = this.#deps;
    for await (const notes of overdueNotes(db, clock)) {
      for (const [id, vaultId] of notes) {
        try {
          const vault = await vaults.openAsSystem(vaultId);
          if (vault !== null) await this.#flushOne(vault, id);
        } catch (error) {
          // A vault that cannot be opened must not delay the others.
          if (!(error instanceof NotevaultError)) throw error;
          this.#report(error, id);
        }
      }
    }
  }

  /** Catches up open documents that lack what other processes wrote, in case the bus lost a message. */
  async catchUp(): Promise<void> {
    for (const { id, revision, waiting } of await this.#deps.db.allMany(store.findStates, {}, this.#documents.ids)) {
      const document = this.#documents.get(id as NoteId);
      if (document === undefined || (document.revision === revision && document.waiting === waiting)) continue;
      await this.#refresh(id as NoteId);
    }
  }

  /**
   * Returns counts of what is in memory: open documents and their estimated bytes, edits not yet in the log and their
   * bytes, and notes whose logged edits wait for a flush.
   */
  stats() {
    const { edits, editBytes } = this.#log;
    const { size: documents, bytes } = this.#documents;
    return { documents, bytes, edits, editBytes, unflushed: this.#schedule.size };
  }

  changed(id: NoteId): void {
    this.#written(id);
    this.#deps.bus.publish(BUS_TOPIC, id);
  }

  deleted(id: NoteId): void {
    const document = this.#documents.get(id);
    if (document !== undefined) this.#close(document, 'note_deleted');
    this.#markLoading(id);
    this.#deps.bus.publish(BUS_TOPIC, id);
  }

  /** Flushes all waiting edits of this process and closes all documents. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#subscription[Symbol.dispose]();
    await this.#log[Symbol.asyncDispose]();
    await this.#schedule.flushAll();
    for (const document of this.#documents.all) this.#close(document, 'lost');
    await Promise.all([this.#flushing.idle(), this.#refreshing.idle()]);
  }

  async #apply(document: LiveDocument, updates: readonly Uint8Array[], actor: Actor, from: Watcher) {
    try {
      const apply = async () => {
        const outcomes = await document.apply(updates, actor, from);
        if (outcomes.includes('stored')) this.#edited(document);
        return outcomes;
      };
      let outcomes = await apply();
      if (outcomes.some((outcome) => typeof outcome !== 'string' && outcome.kind === 'ahead')) {
        await this.#refresh(document.id);
        outcomes = await apply();
      }
      for (const outcome of outcomes) {
        if (typeof outcome !== 'string' && 'text' in outcome) await this.#preserve(document, outcome.text, actor);
      }
      return outcomes.map(outcomeOf);
    } catch (error) {
      if (document.isLost) this.#close(document, 'lost');
      const refusal = malformedIf(error);
      return updates.map(() => refusal);
    }
  }

  #edited({ vault, id, flushedAt }: LiveDocument): void {
    this.#deps.bus.publish(BUS_TOPIC, id);
    this.#schedule.edited(vault, id, flushedAt);
  }

  /** Stores the text of a rejected edit as a version of the note, so that it is not lost. */
  async #preserve({ vault, id }: LiveDocument, text: string, actor: Actor): Promise<void> {
    await preserveRejectedText(this.#deps, vault, id, text, actor).catch((error) => this.#report(error, id));
  }

  /** Flushes a note; a damaged one is reported, because it must not keep clients from all others of the vault. */
  async #flushReadable(vault: OpenVault, id: NoteId): Promise<void> {
    try {
      await this.#flushOne(vault, id);
    } catch (error) {
      if (!(error instanceof NotevaultError) || error.code !== 'note_unreadable') throw error;
      this.#report(error, id);
    }
  }

  #flushOne(vault: OpenVault, id: NoteId): Promise<void> {
    return this.#flushing.run(id, async () => {
      this.#schedule.cancel(id);
      // Acknowledged edits stay, even if their writer or the current caller has lost rights since.
      const { standing: _, ...own } = vault;
      await runUnder(undefined, () => flushNote(this.#deps, own, id, this.#documents.get(id)));
      this.#documents.weigh(id);
    });
  }

  async #document(vault: OpenVault, id: NoteId): Promise<LiveDocument> {
    const open = this.#documents.get(id) ?? this.#loading.get(id)?.document;
    if (open !== undefined) return open;
    const loading: PendingDocument = { document: runShared(() => this.#load(vault, id)), written: false };
    this.#loading.set(id, loading);
    try {
      return await loading.document;
    } finally {
      this.#loading.delete(id);
      if (loading.written) this.#written(id);
    }
  }

  async #load(vault: OpenVault, id: NoteId): Promise<LiveDocument> {
    if (this.#documents.bytes > BYTES_MAX) throw new NotevaultError('unavailable');
    const state = await readNoteState(this.#deps, vault, id);
    if (state === null || state.note.deleted_at !== null) throw new NotevaultError('note_not_found');
    const document = await LiveDocument.load(vault, state, this.#log, this.#deps);
    this.#documents.add(document);
    return document;
  }

  /** Removes a document without watchers from memory, once its edits are on disk and in the note's row. */
  async #release(document: LiveDocument): Promise<void> {
    const { id, vault } = document;
    if (document.isLost) return this.#documents.remove(document);
    try {
      await document.durable();
      if (this.#schedule.has(id)) await this.#flushOne(vault, id);
    } catch (error) {
      this.#report(error, id);
    }
    if (document.watchers === 0) this.#documents.remove(document);
  }

  #close(document: LiveDocument, reason: CloseReason): void {
    this.#documents.remove(document);
    document.close(reason);
  }

  /** The note's row or log was written, by this process or another. */
  #written(id: NoteId): void {
    this.#markLoading(id);
    if (this.#documents.has(id)) this.#refresh(id).catch((error) => this.#report(error, id));
  }

  #markLoading(id: NoteId): void {
    const loading = this.#loading.get(id);
    if (loading !== undefined) loading.written = true;
  }

  /** Applies what others wrote to an open document; closes it when the note is gone. */
  #refresh(id: NoteId): Promise<void> {
    return this.#refreshing.run(id, async () => {
      const document = this.#documents.get(id);
      if (document === undefined) return;
      try {
        // Mostly the row was written from this very document.
        const [stored] = await this.#deps.db.allMany(store.findStates, {}, [id]);
        if (stored?.revision === document.revision && stored.waiting === document.waiting) return;
        const state = await readNoteState(this.#deps, document.vault, id);
        // A note that was created anew under the id is another note.
        const isGone = state === null || state.note.deleted_at !== null || !document.isOf(state);
        if (isGone) this.#close(document, 'note_deleted');
        else if (!document.isLost) await document.catchUpWith(state);
      } catch (error) {
        this.#close(document, 'lost');
        throw error;
      }
    });
  }

  #report(error: unknown, note: NoteId): void {
    this.#deps.report(error, { note });
  }
}

/** Returns the answer to a client. An unknown update under the server's client id is forged. */
function outcomeOf(result: ApplyResult): ApplyOutcome {
  if (typeof result === 'string') return result;
  return result.kind === 'ahead' ? 'malformed' : result.kind;
}

/** Returns the refusal of an invalid update; throws any other error. */
function malformedIf(error: unknown): 'malformed' {
  if (error instanceof MalformedUpdate) return 'malformed';
  throw error;
}
