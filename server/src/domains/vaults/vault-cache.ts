import type { Seq, VaultId } from '@notevault/protocol/ids.ts';
import { KeyedMutex } from '../../concurrency/keyed-mutex.ts';
import type { Clock } from '../../ports/clock/clock.ts';
import { ConstraintError, type Database, type ReadHandle, type WriteHandle } from '../../ports/database/database.ts';
import type { OpenVault } from '../access/access.ts';
import { CachePages } from './cache-pages.ts';
import { type CachedCollection, type CachedRow, CachedRows, PAGE_ROWS, type RowsView } from './cached-rows.ts';
import type { ChangeFeeds, FeedState } from './change-feed.ts';

export type { CachedCollection, CachedRow } from './cached-rows.ts';

/** A vault at one moment. */
export interface CacheSnapshot {
  /** The snapshot itself, for what is not held in memory. */
  readonly handle: ReadHandle;
  readonly changeSeq: Seq;
  rows<Row extends CachedRow>(collection: CachedCollection<Row>): Promise<RowsView<Row>>;
}

/** Vaults that are written and not looked at are remembered up to this number. */
const WRITTEN_MAX = 10_000;

/**
 * The rows of the vaults in use, cached: opening one costs more than all else that is done with it in a list. A look
 * reads, in one snapshot, what was written since the last one, so it never shows less than the database does. What is
 * held is bounded by bytes over all vaults; the vaults looked at longest ago go first. Persisted pages spare whoever begins
 * most of the openings.
 */
export class VaultCache {
  readonly #db: Database;
  readonly #vaults: Pick<ChangeFeeds, 'feed'>;
  readonly #bytesMax: number;
  readonly #pages: CachePages;
  /** In the order of their last use. */
  readonly #cached = new Map<VaultId, CachedVault>();
  /** By vault. */
  readonly #inUse = new KeyedMutex();
  #bytes = 0;
  /** Vaults that were written since their last look, the latest last: from which seq to which. */
  readonly #written = new Map<VaultId, { readonly since: number; readonly seq: number }>();

  constructor(db: Database, clock: Pick<Clock, 'uuid'>, vaults: Pick<ChangeFeeds, 'feed'>, bytesMax: number) {
    this.#db = db;
    this.#vaults = vaults;
    this.#bytesMax = bytesMax;
    this.#pages = new CachePages(db, clock);
  }

  /** What is held of all vaults, in bytes, estimated. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Whether a look at these rows would have to read no more than what was written since the last one. */
  has(vault: OpenVault, collection: object): boolean {
    return this.#cached.get(vault.id)?.has(vault, collection) ?? false;
  }

  /**
   * Gives `body` the vault as it is now. Looks at one vault come one after the other, so that none sees rows of a later
   * moment than its own; `body` awaits only its handle, and what lets others run.
   */
  async snapshot<Result>(vault: OpenVault, body: (snapshot: CacheSnapshot) => Promise<Result>): Promise<Result> {
    const cached = this.#cached.get(vault.id) ?? new CachedVault();
    this.#cached.delete(vault.id);
    this.#cached.set(vault.id, cached);
    this.#written.delete(vault.id);
    return this.#inUse.run(vault.id, async () => {
      try {
        return await this.#db.read(async (handle) => {
          const feed = await this.#vaults.feed(handle, vault);
          return body({
            handle,
            changeSeq: feed.changeSeq,
            rows: (collection) => cached.rows(collection, handle, vault, feed, this.#pages),
          });
        });
      } finally {
        this.#count(vault.id, cached);
      }
    });
  }

  /** Forgets a vault, whose key may be gone. */
  evict(id: VaultId): void {
    this.#bytes -= this.#cached.get(id)?.counted ?? 0;
    this.#cached.delete(id);
    this.#written.delete(id);
  }

  /** Hears that a vault was written up to a seq. */
  noteWrite(id: VaultId, seq: number): void {
    const since = this.#written.get(id)?.since ?? seq;
    this.#written.delete(id);
    this.#written.set(id, { since, seq });
    const [oldest] = this.#written.keys();
    if (this.#written.size > WRITTEN_MAX && oldest !== undefined) this.#written.delete(oldest);
  }

  /** Vaults written so often since their last look that one is worth it, so that pages are made; each is given once. */
  takeStale(): VaultId[] {
    const stale = [...this.#written].filter(([, { since, seq }]) => seq - since >= PAGE_ROWS).map(([id]) => id);
    for (const id of stale) this.#written.delete(id);
    return stale;
  }

  /** Writes pages of what is held and in none, where that is as many rows as this. */
  async persist(least = PAGE_ROWS): Promise<void> {
    for (const cached of [...this.#cached.values()]) {
      for (const rows of cached.collections()) await rows.persist(this.#pages, least).catch(unlessGone);
    }
  }

  /** Deletes pages from before a moment: none outlives the tombstones of what is in it. */
  deletePagesBefore(until: number): Promise<void> {
    return this.#pages.deleteOlder(until);
  }

  /** Deletes a slice of a purged vault's pages; true when more may be left. */
  purgeSlice(handle: WriteHandle, vaultId: VaultId): Promise<boolean> {
    return this.#pages.purgeSlice(handle, vaultId);
  }

  #count(id: VaultId, cached: CachedVault): void {
    // Let go meanwhile: whoever still looks at it has it to themselves.
    if (this.#cached.get(id) !== cached) return;
    this.#bytes += cached.bytes - cached.counted;
    cached.counted = cached.bytes;
    for (const oldest of this.#cached.keys()) {
      if (this.#bytes <= this.#bytesMax) return;
      this.evict(oldest);
    }
  }
}

class CachedVault {
  /** The bytes that the total over all vaults has of this one. */
  counted = 0;
  readonly #collections = new Map<object, CachedRows<CachedRow>>();

  get bytes(): number {
    return [...this.#collections.values()].reduce((sum, rows) => sum + rows.bytes, 0);
  }

  collections(): CachedRows<CachedRow>[] {
    return [...this.#collections.values()];
  }

  has({ feedEpoch }: OpenVault, collection: object): boolean {
    return this.#collections.get(collection)?.vault.feedEpoch === feedEpoch;
  }

  async rows<Row extends CachedRow>(
    collection: CachedCollection<Row>,
    handle: ReadHandle,
    vault: OpenVault,
    { changeSeq, floorSeq }: FeedState,
    pages: CachePages,
  ): Promise<RowsView<Row>> {
    // Only rows of this very kind are put under it.
    let rows = this.#collections.get(collection) as CachedRows<Row> | undefined;
    // After a backup was restored, what is held may never have been; and behind a tombstone that was dropped, a deletion
    // cannot be followed any more.
    if (rows === undefined || rows.vault.feedEpoch !== vault.feedEpoch || rows.seq > changeSeq || rows.seq < floorSeq) {
      this.#collections.delete(collection);
      rows = new CachedRows(collection, vault);
      await rows.load(handle, changeSeq, pages);
      this.#collections.set(collection, rows as CachedRows<CachedRow>);
    } else if (rows.seq < changeSeq) await rows.catchUp(handle, changeSeq);
    return rows;
  }
}

/** A page of a vault that is gone is refused by its foreign key. */
function unlessGone(error: unknown): void {
  if (!(error instanceof ConstraintError)) throw error;
}
