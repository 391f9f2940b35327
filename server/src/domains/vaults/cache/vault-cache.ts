import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { Seq, VaultId } from '@notevault/protocol/values/ids.ts';
import { KeyedLock } from '../../../concurrency/keyed-lock.ts';
import type { Clock } from '../../../ports/clock/clock.ts';
import { ConstraintError, type Database, type ReadHandle, type WriteHandle } from '../../../ports/database/database.ts';
import type { OpenVault } from '../../access/access.ts';
import type { ChangeFeeds, FeedState } from '../change-sequence.ts';
import { CachePages } from './cache-pages.ts';
import { type CachedCollection, type CachedRow, CachedRows, PAGE_ROWS, type RowsView } from './cached-rows.ts';

export type { CachedCollection, CachedRow } from './cached-rows.ts';

/** The cached contents of a vault in one snapshot. */
export interface CacheSnapshot {
  /** The handle of the snapshot, for what is not cached. */
  readonly handle: ReadHandle;
  readonly changeSeq: Seq;
  /** All rows of a kind. Throws `note_unreadable`, `attachment_unreadable` rather than leave a damaged one out. */
  rows<Row extends CachedRow>(collection: CachedCollection<Row>): Promise<RowsView<Row>>;
  /** The same, with damaged rows listed apart. */
  rowsWithDamage<Row extends CachedRow>(collection: CachedCollection<Row>): Promise<RowsView<Row>>;
}

/** Most damaged rows that an error names. */
const NAMED_MAX = 100;

/** Most vaults that are remembered as written to and not read since. */
const WRITTEN_MAX = 10_000;

/**
 * Caches the rows of vaults in use, because opening a row costs more than anything else that a list does with it. Each
 * read loads, in one snapshot, what was written since the last one, so it never returns less than the database has. The
 * size is bounded over all vaults; the least recently used are evicted. Persisted pages save a new process from opening
 * most rows.
 */
export class VaultCache {
  readonly #db: Database;
  readonly #vaults: Pick<ChangeFeeds, 'feed'>;
  readonly #bytesMax: number;
  readonly #pages: CachePages;
  /** Ordered by last use. */
  readonly #cached = new Map<VaultId, CachedVault>();
  /** One reader at a time for each vault. */
  readonly #inUse = new KeyedLock();
  #bytes = 0;
  /** Vaults that were written to since their last read, the latest last: the range of seqs. */
  readonly #written = new Map<VaultId, { readonly since: number; readonly seq: number }>();

  constructor(db: Database, clock: Pick<Clock, 'uuid'>, vaults: Pick<ChangeFeeds, 'feed'>, bytesMax: number) {
    this.#db = db;
    this.#vaults = vaults;
    this.#bytesMax = bytesMax;
    this.#pages = new CachePages(db, clock);
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Whether a read of these rows would load only what was written since the last one. */
  has(vault: OpenVault, collection: object): boolean {
    return this.#cached.get(vault.id)?.has(vault, collection) ?? false;
  }

  /**
   * Calls `body` with the current contents of the vault. Reads of one vault run one after another, so that none sees
   * rows newer than its own snapshot; `body` awaits only its handle, and functions that yield.
   */
  async snapshot<Result>(vault: OpenVault, body: (snapshot: CacheSnapshot) => Promise<Result>): Promise<Result> {
    const cached = this.#cached.get(vault.id) ?? new CachedVault();
    this.#cached.delete(vault.id);
    this.#cached.set(vault.id, cached);
    this.#written.delete(vault.id);
    return this.#inUse.runExclusive(vault.id, async () => {
      try {
        return await this.#db.read(async (handle) => {
          const feed = await this.#vaults.feed(handle, vault);
          const rowsWithDamage: CacheSnapshot['rowsWithDamage'] = (collection) =>
            cached.rows(collection, handle, vault, feed, this.#pages);
          return body({
            handle,
            changeSeq: feed.changeSeq,
            rowsWithDamage,
            rows: async (collection) => requireWhole(collection, await rowsWithDamage(collection)),
          });
        });
      } finally {
        this.#count(vault.id, cached);
      }
    });
  }

  /** Evicts a vault, whose key may be gone. */
  evict(id: VaultId): void {
    this.#bytes -= this.#cached.get(id)?.counted ?? 0;
    this.#cached.delete(id);
    this.#written.delete(id);
  }

  noteWrite(id: VaultId, seq: number): void {
    const since = this.#written.get(id)?.since ?? seq;
    this.#written.delete(id);
    this.#written.set(id, { since, seq });
    const [oldest] = this.#written.keys();
    if (this.#written.size > WRITTEN_MAX && oldest !== undefined) this.#written.delete(oldest);
  }

  /**
   * Returns, once each, vaults with so many writes since their last read that reading them is worthwhile, so that pages
   * are written.
   */
  takeStale(): VaultId[] {
    const stale = [...this.#written].filter(([, { since, seq }]) => seq - since >= PAGE_ROWS).map(([id]) => id);
    for (const id of stale) this.#written.delete(id);
    return stale;
  }

  /** Writes pages of cached rows that are in none, for vaults with at least `least` such rows. */
  async persist(least = PAGE_ROWS): Promise<void> {
    for (const cached of [...this.#cached.values()]) {
      for (const rows of cached.collections()) await rows.persist(this.#pages, least).catch(unlessGone);
    }
  }

  /** Deletes pages older than a time, so that none outlives the tombstones of its rows. */
  deletePagesBefore(until: number): Promise<void> {
    return this.#pages.deleteOlder(until);
  }

  /** True when more may be left. */
  purgeSlice(handle: WriteHandle, vaultId: VaultId): Promise<boolean> {
    return this.#pages.purgeSlice(handle, vaultId);
  }

  #count(id: VaultId, cached: CachedVault): void {
    // Evicted meanwhile: a reader that still uses it has it to itself.
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
  /** The bytes by which this vault is counted in the total. */
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
    // Only rows of this kind are stored under its key.
    let rows = this.#collections.get(collection) as CachedRows<Row> | undefined;
    // After a restore, cached rows may never have existed; behind a dropped tombstone, no deletion can be followed.
    if (rows === undefined || rows.vault.feedEpoch !== vault.feedEpoch || rows.seq > changeSeq || rows.seq < floorSeq) {
      this.#collections.delete(collection);
      rows = new CachedRows(collection, vault);
      await rows.load(handle, changeSeq, pages);
      this.#collections.set(collection, rows as CachedRows<CachedRow>);
    } else if (rows.seq < changeSeq) await rows.catchUp(handle, changeSeq);
    return rows;
  }
}

function requireWhole<View extends RowsView<CachedRow>>(
  { type }: { readonly type: 'note' | 'attachment' },
  view: View,
): View {
  const { unreadable } = view;
  if (unreadable.length === 0) return view;
  throw new NotevaultError(`${type}_unreadable`, { unreadable: unreadable.slice(0, NAMED_MAX) });
}

/** Ignores the foreign key violation of a page whose vault is gone. */
function unlessGone(error: unknown): void {
  if (!(error instanceof ConstraintError)) throw error;
}
