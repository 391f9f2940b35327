import type { Seq } from '@notevault/protocol/values/ids.ts';
import { KeyedLock } from '../../../../concurrency/keyed-lock.ts';
import { runShared } from '../../../../concurrency/tenant.ts';
import type { SealedNote } from '../../../content/notes/notes.ts';
import type { OpenVault } from '../../../content/vaults/vaults.ts';
import type { SearchDeps } from '../search.ts';
import { TransferList } from '../worker/transfer-list.ts';
import type { IndexState } from '../worker/worker-api.ts';
import { loadStoredIndex } from './stored-index.ts';

/** Notes per request to the worker: some 20 ms of work, so that searches of other vaults run in between. */
const PAGE = { limit: 64, bytes: 256 * 1024 };

/**
 * Called after each page of notes.
 *
 * @param tookMs how long the page took.
 * @param isAwaited whether another catch-up of the vault waits for this one.
 */
type AfterPage = (state: IndexState, tookMs: number, isAwaited: boolean) => void | Promise<void>;

/** Maximum missing changes for which a search waits; an index that lacks more first gets this many of the newest. */
const NEWEST = 2000;

/** The searches of a vault that wait for its newest changes, and the seq up to which these are in the index. */
interface Impatient {
  waiting: (() => void)[];
  newestSeq: number;
}

/** Brings the worker's indexes up to date with their vaults. */
export class IndexCatchUp {
  readonly #deps: SearchDeps;
  readonly #newest: number;
  /** Locks of indexes, by vault and epoch. */
  readonly #indexes = new KeyedLock();
  /** Running catch-ups that several searches wait for, by vault and epoch. */
  readonly #shared = new Map<string, Promise<IndexState>>();
  readonly #impatient = new Map<string, Impatient>();

  constructor(deps: SearchDeps, newest = NEWEST) {
    this.#deps = deps;
    this.#newest = newest;
  }

  /** Loads a vault's index into memory and brings it up to the vault's current seq. */
  catchUp(vault: OpenVault, onProgress: (state: IndexState) => void = () => undefined): Promise<IndexState> {
    return this.#enqueue(vault, onProgress);
  }

  /**
   * Like `catchUp`, for a search of a vault that may be large: resolves to null when the index lacks many changes. It then
   * has the newest of them, and is completed meanwhile.
   *
   * @param onComplete called when it is complete, also if that is later.
   */
  async catchUpOrPartial(vault: OpenVault, onComplete: (state: IndexState) => void): Promise<IndexState | null> {
    const name = nameOf(vault);
    const complete = this.#shared.get(name) ?? this.#share(vault, onComplete);
    const { promise, resolve } = Promise.withResolvers<void>();
    const impatient = this.#impatient.get(name) ?? { waiting: [], newestSeq: 0 };
    impatient.waiting.push(resolve);
    this.#impatient.set(name, impatient);
    return Promise.race([complete, promise.then(() => null)]);
  }

  #share(vault: OpenVault, onComplete: (state: IndexState) => void): Promise<IndexState> {
    const name = nameOf(vault);
    const complete = runShared(() => this.catchUp(vault)).finally(() => {
      this.#shared.delete(name);
      this.#impatient.delete(name);
    });
    this.#shared.set(name, complete);
    // Waiting callers get the error; the next search starts again.
    complete.then(onComplete, () => undefined);
    return complete;
  }

  /**
   * Like `catchUp`, in the background: after each page it calls `rest` with the duration, until somebody waits for the
   * index. Rejects when the signal is aborted.
   */
  catchUpInBackground(vault: OpenVault, rest: (ms: number) => Promise<void>, signal: AbortSignal): Promise<IndexState> {
    return this.#enqueue(vault, async (_, tookMs, isAwaited) => {
      signal.throwIfAborted();
      if (!isAwaited) await rest(tookMs);
    });
  }

  /** Runs the catch-ups of a vault one after the other: a later one needs writes that an earlier one has not seen. */
  #enqueue(vault: OpenVault, afterPage: AfterPage): Promise<IndexState> {
    return this.#indexes.runExclusive(nameOf(vault), (locked) =>
      // Shared: other searches use its results.
      runShared(() => this.#run(vault, (state, tookMs) => afterPage(state, tookMs, locked.isAwaited()))),
    );
  }

  async #run(vault: OpenVault, afterPage: (state: IndexState, tookMs: number) => void | Promise<void>) {
    const { worker } = this.#deps;
    const inMemory = await worker.request('indexState', { vault: vault.id, epoch: vault.feedEpoch });
    let state = inMemory ?? (await this.#load(vault));
    for (;;) {
      const started = performance.now();
      const changes = await this.#changesAfter(vault, state);
      if (changes.kind === 'none') return state;
      if (changes.kind === 'expired') {
        state = await this.#createEmpty(vault, changes.floorSeq);
        continue;
      }
      await this.#addNewest(vault, state.seq, changes.changeSeq);
      state = await this.#add(vault, changes.notes, changes.upTo);
      await afterPage(state, performance.now() - started);
      if (!changes.more) return state;
    }
  }

  /**
   * Adds the newest changes out of order, when searches wait and many changes are missing. Their notes are added again
   * in order later.
   */
  async #addNewest(vault: OpenVault, seq: number, changeSeq: number): Promise<void> {
    const { db, notes } = this.#deps;
    const impatient = this.#impatient.get(nameOf(vault));
    if (impatient === undefined || impatient.waiting.length === 0 || changeSeq - seq <= this.#newest) return;
    const waiting = impatient.waiting.splice(0);
    for (let after = Math.max(impatient.newestSeq, changeSeq - this.#newest); after < changeSeq; ) {
      const page = await db.read((handle) => notes.sealedAfter(handle, vault, after as Seq, PAGE));
      await this.#add(vault, page.notes, 0);
      after = page.more ? (page.notes.at(-1)?.seq ?? changeSeq) : changeSeq;
      impatient.newestSeq = after;
    }
    for (const resolve of waiting) resolve();
  }

  #add(vault: OpenVault, sealed: readonly SealedNote[], upTo: number): Promise<IndexState> {
    const transfer = new TransferList();
    const notes = sealed.map((note) => transfer.addNote(note));
    const params = { vault: vault.id, key: vault.key.share(0), notes, upTo };
    return this.#deps.worker.request('addNotes', params, transfer);
  }

  /** The next page of notes that the index does not have; or the fact that tombstones it needs have expired. */
  #changesAfter(vault: OpenVault, { seq, floor }: IndexState) {
    const { db, vaults, notes } = this.#deps;
    return db.read(async (handle) => {
      const { changeSeq, floorSeq } = await vaults.feed(handle, vault);
      if (floorSeq > Math.max(seq, floor)) return { kind: 'expired', floorSeq } as const;
      if (changeSeq <= seq) return { kind: 'none' } as const;
      const page = await notes.sealedAfter(handle, vault, seq as Seq, PAGE);
      const last = page.notes.at(-1)?.seq;
      // Seqs without a note belong to other changes. After the last note, all seqs are covered.
      const upTo = page.more && last !== undefined ? last : changeSeq;
      return { kind: 'page', notes: page.notes, more: page.more, upTo, changeSeq } as const;
    });
  }

  async #load(vault: OpenVault): Promise<IndexState> {
    const { db, worker, vaults } = this.#deps;
    const loaded = await loadStoredIndex(db, worker, vault);
    return loaded ?? this.#createEmpty(vault, (await vaults.feed(db, vault)).floorSeq);
  }

  #createEmpty({ id, key, feedEpoch: epoch }: OpenVault, floor: number): Promise<IndexState> {
    return this.#deps.worker.request('createIndex', { vault: id, key: key.share(0), epoch, floor, stored: null });
  }
}

function nameOf({ id, feedEpoch }: OpenVault): string {
  return `${id} ${feedEpoch}`;
}
