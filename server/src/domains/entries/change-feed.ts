import type { Seq } from '@notevault/protocol/values/ids.ts';
import type { ReadHandle } from '../../ports/database/database.ts';
import type { OpenVault } from '../vaults/vaults.ts';
import * as store from './change-feed.store.ts';
import type { FeedEntry } from './entries.store.ts';
import type { ItemKind } from './entries.tables.ts';

/** The change feed of a vault: rows last written after a seq, ordered by seq. */
export interface EntryChangeFeed {
  /** Returns the first `limit` notes, attachments and tombstones written after `after`, still sealed. */
  changedAfter(handle: ReadHandle, vault: OpenVault, after: Seq, limit: number): Promise<FeedEntry[]>;
  changedOf(handle: ReadHandle, vault: OpenVault, kind: ItemKind, after: Seq, limit: number): Promise<FeedEntry[]>;
  /** Returns the live entries of one kind that were written last, newest first. */
  newestOf(handle: ReadHandle, vault: OpenVault, kind: ItemKind, limit: number): Promise<FeedEntry[]>;
  /** Returns every live entry of one kind, ordered by seq. `handle` must be of a snapshot. */
  allLive(handle: ReadHandle, vault: OpenVault, kind: ItemKind): Promise<FeedEntry[]>;
}

const PAGE = 1000;

export const entryChangeFeed: EntryChangeFeed = {
  changedAfter: (handle, vault, after, limit) => handle.all(store.findChangedAfter, { vault: vault.id, after, limit }),
  changedOf: (handle, vault, kind, after, limit) =>
    handle.all(store.findChangedOf, { vault: vault.id, kind, after, limit }),
  newestOf: (handle, vault, kind, limit) => handle.all(store.findNewest, { vault: vault.id, kind, limit }),
  async allLive(handle, vault, kind) {
    const found: FeedEntry[] = [];
    for (let after = 0; ; ) {
      const rows = await handle.all(store.findLiveAfter, { vault: vault.id, kind, after, limit: PAGE });
      found.push(...rows);
      after = rows.at(-1)?.seq ?? after;
      if (rows.length < PAGE) return found;
    }
  },
};
