import type { Seq } from '@notevault/protocol/values/ids.ts';
import { KeyedLock } from '../../../concurrency/keyed-lock.ts';
import type { OpenVault } from '../../vaults/vaults.ts';
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

/** Brings the worker's indexes up to date with their vaults. */
export class IndexCatchUp {
  readonly #deps: SearchDeps;
  /** By vault and epoch. */
  readonly #indexes = new KeyedLock();

  constructor(deps: SearchDeps) {
    this.#deps = deps;
  }

  /** Loads a vault's index into memory and brings it up to the vault's current seq. */
  catchUp(vault: OpenVault, onProgress: (state: IndexState) => void = () => undefined): Promise<IndexState> {
    return this.#enqueue(vault, onProgress);
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
    return this.#indexes.runExclusive(`${vault.id} ${vault.feedEpoch}`, (locked) =>
      this.#run(vault, (state, tookMs) => afterPage(state, tookMs, locked.isAwaited())),
    );
  }

  async #run(
    vault: OpenVault,
    afterPage: (state: IndexState, tookMs: number) => void | Promise<void>,
  ): Promise<IndexState> {
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
      const transfer = new TransferList();
      const notes = changes.notes.map((note) => transfer.addNote(note));
      const params = { vault: vault.id, key: vault.key.share(0), notes, upTo: changes.upTo };
      state = await worker.request('addNotes', params, transfer);
      await afterPage(state, performance.now() - started);
      if (!changes.more) return state;
    }
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
      return { kind: 'page', notes: page.notes, more: page.more, upTo } as const;
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
