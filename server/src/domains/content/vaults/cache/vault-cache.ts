import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { Seq, VaultId } from '@notevault/protocol/values/ids.ts';
import { KeyedLock } from '../../../../concurrency/keyed-lock.ts';
import type { Database, ReadHandle } from '../../../../ports/database/database.ts';
import type { OpenVault } from '../../../foundation/access/access.ts';
import type { ChangeFeeds, FeedState } from '../change-sequence.ts';
import { type CachedCollection, type CachedRow, CachedRows, type RowsView } from './cached-rows.ts';

export type { CachedCollection, CachedRow } from './cached-rows.ts';

export interface CacheSnapshot {
  /** The handle of the snapshot, for what is not cached. */
  readonly handle: ReadHandle;
  readonly changeSeq: Seq;
  /** All rows of a kind. Throws `note_unreadable`, `attachment_unreadable` rather than leave a damaged one out. */
  rows<Row extends CachedRow>(collection: CachedCollection<Row>): Promise<RowsView<Row>>;
  /** Like `rows`, with damaged rows listed separately. */
  rowsWithDamage<Row extends CachedRow>(collection: CachedCollection<Row>): Promise<RowsView<Row>>;
}

/** Maximum damaged rows that an error names. */
const NAMED_MAX = 100;

/**
 * Caches the rows of vaults in use, because opening a row costs more than anything else that a list does with it. Each
 * read loads, in one snapshot, what was written since the last one, so it never returns less than the database has. The
 * size is bounded over all vaults; the least recently used are evicted.
 */
export class VaultCache {
  readonly #db: Database;
  readonly #vaults: Pick<ChangeFeeds, 'feed'>;
  readonly #bytesMax: number;
  /** Ordered by last use. */
  readonly #cached = new Map<VaultId, CachedVault>();
  /** One reader at a time for each vault. */
  readonly #inUse = new KeyedLock();
  #bytes = 0;

  constructor(db: Database, vaults: Pick<ChangeFeeds, 'feed'>, bytesMax: number) {
    this.#db = db;
    this.#vaults = vaults;
    this.#bytesMax = bytesMax;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Whether these rows are cached, so that a read loads only rows written since the last one. */
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
    return this.#inUse.runExclusive(vault.id, async () => {
      try {
        return await this.#db.read(async (handle) => {
          const feed = await this.#vaults.feed(handle, vault);
          const rowsWithDamage: CacheSnapshot['rowsWithDamage'] = (collection) =>
            cached.rows(collection, handle, vault, feed);
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

  /** Evicts a vault, because its key may have been destroyed. */
  evict(id: VaultId): void {
    this.#bytes -= this.#cached.get(id)?.counted ?? 0;
    this.#cached.delete(id);
  }

  #count(id: VaultId, cached: CachedVault): void {
    // It was evicted meanwhile: only its current reader still uses it.
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

  has({ feedEpoch }: OpenVault, collection: object): boolean {
    return this.#collections.get(collection)?.vault.feedEpoch === feedEpoch;
  }

  async rows<Row extends CachedRow>(
    collection: CachedCollection<Row>,
    handle: ReadHandle,
    vault: OpenVault,
    { changeSeq, floorSeq }: FeedState,
  ): Promise<RowsView<Row>> {
    // Only rows of this kind are stored under its key.
    let rows = this.#collections.get(collection) as CachedRows<Row> | undefined;
    // After a restore, cached rows may never have existed; behind a dropped tombstone, no deletion can be followed.
    if (rows === undefined || rows.vault.feedEpoch !== vault.feedEpoch || rows.seq > changeSeq || rows.seq < floorSeq) {
      this.#collections.delete(collection);
      rows = new CachedRows(collection, vault);
      await rows.load(handle, changeSeq);
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
