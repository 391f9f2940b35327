import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { Seq } from '@notevault/protocol/values/ids.ts';
import type { CachedCollection, CachedRow, OpenVault } from '../vaults/vaults.ts';
import * as store from './change-feed.store.ts';
import type { FeedEntry } from './entries.store.ts';
import type { ItemKind } from './entries.tables.ts';

/** Defines how live entries of one kind are cached in memory. */
export interface CachedKind<Row extends CachedRow> {
  readonly kind: ItemKind;
  /** Throws for a row that cannot be unsealed. */
  open(vault: OpenVault, row: FeedEntry): Row;
  bytesOf(row: Row): number;
}

export function cachedEntries<Row extends CachedRow>({ kind, open, bytesOf }: CachedKind<Row>): CachedCollection<Row> {
  const opened = (vault: OpenVault, row: FeedEntry): Row | 'unreadable' => {
    try {
      return open(vault, row);
    } catch (error) {
      if (error instanceof NotevaultError && error.code === `${kind}_unreadable`) return 'unreadable';
      throw error;
    }
  };
  return {
    type: kind,
    bytesOf,
    async changed(handle, vault, after, limit) {
      const rows = await handle.all(store.findChangedOf, { vault: vault.id, kind, after, limit });
      return rows.map((row) => {
        const { id, seq, deleted_at } = row;
        return { id, seq: seq as Seq, row: deleted_at === null ? opened(vault, row) : null };
      });
    },
    async live(handle, vault, after, limit) {
      const rows = await handle.all(store.findLiveAfter, { vault: vault.id, kind, after, limit });
      return rows.map((row) => ({ id: row.id, seq: row.seq as Seq, row: opened(vault, row) }));
    },
  };
}
