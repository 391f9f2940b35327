import { setTimeout as delay } from 'node:timers/promises';
import { NotevaultError } from '@notevault/protocol/errors.ts';
import { NIL_UUID, type NoteId, type Seq, type VaultId } from '@notevault/protocol/values/ids.ts';
import { IDLE } from '../../../../concurrency/idle.ts';
import { latestPlausible } from '../../../../ports/clock/clock.ts';
import { rowsOf, type WriteHandle } from '../../../../ports/database/database.ts';
import { EmbedderError, type Space } from '../../../../ports/embedder/embedder.ts';
import type { OpenVault } from '../../../content/vaults/vaults.ts';
import { BackgroundSchedule, Backoff } from '../background-schedule.ts';
import type { SearchDeps } from '../search.ts';
import { EmbeddingLease, leaseTimes } from './embedding-lease.ts';
import { FIRST_RETRY_MS, MAX_RETRY_MS, NoteEmbedder } from './note-embedder.ts';
import * as store from './vectors.store.ts';

/** Notes read at once; some of them have many chunks. */
const PAGE = { limit: 32, bytes: 256 * 1024 };
const VAULTS_PER_QUERY = 16;
/** Interval of checks whether another holder's lease has ended. */
const LEASE_WAIT_MS = 300;
/** Pages of one vault before the next vault's turn. */
const PAGES_PER_TURN = 8;
/** Few rows per transaction, because deleted rows are overwritten and may be large. */
const ROWS_PER_ERASE = 64;
/** How long unused on-demand vectors are kept; later they are computed again on request. */
const UNUSED_MS = 30 * 24 * 3_600_000;
/** How long writes must have paused; notes written together are embedded together. */
const REST_MS = 1000;
/** The pauses after an embedder failed. */
const FIRST_PAUSE_MS = 10_000;
const LONGEST_PAUSE_MS = 10 * 60_000;

export interface EmbeddingProgress {
  /** Live notes. */
  readonly total: number;
  readonly pending: number;
  readonly failed: number;
}

/** Embeds the notes of all vaults. Processes share the work by a lease on each vault. */
export class Embedding {
  readonly #deps: SearchDeps;
  readonly #noteEmbedder: NoteEmbedder;
  /** Identifies this process as the holder of leases. */
  readonly #holder: string;
  readonly #schedule: BackgroundSchedule;
  readonly #backoff: Backoff<string>;
  /** The id of the embedder's space, once it is known. */
  #model: string | null = null;

  constructor(deps: SearchDeps) {
    this.#deps = deps;
    this.#noteEmbedder = new NoteEmbedder(deps);
    this.#holder = deps.clock.uuid();
    this.#schedule = new BackgroundSchedule(deps.clock, REST_MS);
    this.#backoff = new Backoff(deps.clock, FIRST_PAUSE_MS, LONGEST_PAUSE_MS);
  }

  get notesInProgress(): number {
    return this.#noteEmbedder.notesInProgress;
  }

  /** The time since which a vault must have requested vectors to get them; -1 when all vaults have them. */
  get wantedSince(): number {
    const { embedder, clock } = this.#deps;
    return embedder.onDemand ? clock.now() - UNUSED_MS : -1;
  }

  recordChange(): void {
    this.#schedule.recordChange();
  }

  /**
   * Embeds notes written since the last run, and retries failed notes after their pause. Ends when nothing is left or
   * the signal is aborted; resolves to IDLE before that. Throws EmbedderError when the embedder fails. Must not be
   * called while it runs.
   *
   * @param atOnce starts without waiting for writes to pause.
   */
  async run(signal: AbortSignal, atOnce = false): Promise<typeof IDLE | undefined> {
    const { name } = this.#deps.embedder;
    if (this.#backoff.isPaused(name) || !this.#schedule.begin(atOnce)) return IDLE;
    try {
      const space = await this.#deps.embedder.space(signal);
      this.#model = space.id;
      await this.#retryFailedNotes(space, signal);
      for (let more = true; more && !signal.aborted; ) more = await this.#runRound(space, signal);
      this.#backoff.succeeded(name);
      return undefined;
    } catch (error) {
      if (signal.aborted) return IDLE;
      if (error instanceof EmbedderError) {
        this.#backoff.failed(name, error.retryAfterMs ?? 0);
        this.#schedule.again(0);
      }
      throw error;
    }
  }

  /** Runs one turn of each vault: a large one must not delay the others. Resolves to whether any has more to do. */
  async #runRound(space: Space, signal: AbortSignal): Promise<boolean> {
    const { db, clock } = this.#deps;
    let hasMore = false;
    const after = (last?: { vault_id: VaultId }) => {
      const { wantedSince } = this;
      const query = { model: space.id, ...leaseTimes(clock.now()), wantedSince, limit: VAULTS_PER_QUERY };
      return { ...query, after: last?.vault_id ?? NIL_UUID };
    };
    for await (const { vault_id: vaultId } of rowsOf(db, store.findDue, after)) {
      await using lease = await EmbeddingLease.acquire(this.#deps, this.#holder, vaultId, space);
      if (lease !== null) hasMore = (await this.#takeTurn(lease, signal)) || hasMore;
      if (signal.aborted) break;
    }
    return hasMore;
  }

  /** Embeds some pages of a vault. Resolves to whether there may be more. */
  async #takeTurn(lease: EmbeddingLease, signal: AbortSignal): Promise<boolean> {
    for (let page = 0; page < PAGES_PER_TURN; page++) {
      if (signal.aborted || !(await this.#embedNextPage(lease, signal))) return false;
    }
    return true;
  }

  /** Resolves to false when no page is left or the lease was lost. */
  async #embedNextPage(lease: EmbeddingLease, signal: AbortSignal): Promise<boolean> {
    const { db, vaults, notes } = this.#deps;
    const page = await db.read(async (handle) => {
      const { changeSeq } = await vaults.feed(handle, lease.vault);
      if (changeSeq <= lease.seq) return null;
      const found = await notes.sealedAfter(handle, lease.vault, lease.seq as Seq, PAGE);
      const last = found.notes.at(-1)?.seq;
      return { notes: found.notes, upTo: found.more && last !== undefined ? last : changeSeq };
    });
    if (page === null || !(await this.#noteEmbedder.embedNotes(lease, page.notes, page.upTo, signal))) return false;
    lease.seq = page.upTo;
    return true;
  }

  /**
   * Embeds all notes of one vault that have no vectors yet, or waits while a background job of any process does. Throws
   * `vault_not_found` when the vault was deleted.
   */
  async embedVault(vault: OpenVault, space: Space, signal: AbortSignal): Promise<void> {
    this.#model = space.id;
    // A holder of its own: the background job of this process may have the lease.
    const holder = this.#deps.clock.uuid();
    for (;;) {
      signal.throwIfAborted();
      if ((await this.progress(vault)).pending === 0) return;
      await using lease = await EmbeddingLease.acquire(this.#deps, holder, vault.id, space);
      if (lease !== null) {
        await this.#takeTurn(lease, signal);
      } else {
        if ((await this.#deps.vaults.openAsSystem(vault.id)) === null) throw new NotevaultError('vault_not_found');
        await delay(LEASE_WAIT_MS, undefined, { signal });
      }
    }
  }

  /** Tries failed notes again that are due. The progress of their vaults stays as it is. */
  async #retryFailedNotes(space: Space, signal: AbortSignal): Promise<void> {
    const { db, clock } = this.#deps;
    const now = clock.now();
    const latest = latestPlausible(now, MAX_RETRY_MS);
    const due = await db.all(store.findRetries, { now, latest, limit: PAGE.limit });
    for (const [vaultId, rows] of Map.groupBy(due, ({ vault_id }) => vault_id)) {
      const ids = rows.map(({ note_id }) => note_id as NoteId);
      await using lease = await EmbeddingLease.acquire(this.#deps, this.#holder, vaultId, space);
      if (lease === null) await this.#postpone(vaultId, ids);
      else await this.#retryNotes(lease, ids, signal);
    }
  }

  /**
   * Postpones failed notes of a vault that is deleted or leased by another process, so that they do not block those of
   * other vaults.
   */
  async #postpone(vaultId: VaultId, ids: readonly NoteId[]): Promise<void> {
    const { db, clock } = this.#deps;
    const until = clock.now() + FIRST_RETRY_MS;
    await db.transact((handle) => handle.runMany(store.postpone, { vault: vaultId, until }, ids));
  }

  async #retryNotes(lease: EmbeddingLease, ids: readonly NoteId[], signal: AbortSignal): Promise<void> {
    const { db, notes } = this.#deps;
    const found = await db.read((handle) => notes.sealedOf(handle, lease.vault, ids));
    await this.#noteEmbedder.embedNotes(lease, found, lease.seq, signal);
  }

  /** Marks all notes of a vault to be checked again: notes with missing or damaged vectors are embedded. */
  async forget(vault: OpenVault): Promise<void> {
    await this.#deps.db.transact((handle) => handle.run(store.resetEmbedding, { vault: vault.id }));
  }

  async progress(vault: OpenVault): Promise<EmbeddingProgress> {
    const { db } = this.#deps;
    const row = await db.get(store.findEmbedding, { vault_id: vault.id });
    // The model may not be known yet. Vectors of another model or epoch count as none.
    const isCurrent =
      row !== undefined && row.feed_epoch === vault.feedEpoch && (this.#model === null || row.model === this.#model);
    const counts = await db.get(store.countNotes, { vault: vault.id, seq: isCurrent ? row.seq : 0 });
    const { total = 0, pending, failed } = counts ?? {};
    return { total, pending: Number(pending ?? 0), failed: Number(failed ?? 0) };
  }
}

/** Deletes a slice of a purged vault's vectors; resolves to true when more may be left. */
export async function eraseEmbeddingSlice(handle: WriteHandle, vault: VaultId): Promise<boolean> {
  await handle.run(store.deleteEmbedding, { vault_id: vault });
  return eraseVectorSlice(handle, vault);
}

/** Resolves to true when more may be left. */
export async function eraseVectorSlice(handle: WriteHandle, vault: VaultId): Promise<boolean> {
  const slice = { vault_id: vault, limit: ROWS_PER_ERASE };
  return (await handle.run(store.deleteSomeVectors, slice)) === ROWS_PER_ERASE;
}
