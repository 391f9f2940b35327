import type { Seq, VaultId } from '@notevault/protocol/values/ids.ts';
import type { ReadHandle, WriteHandle } from '../../../ports/database/database.ts';
import type { OpenVault } from '../vaults/vaults.ts';
import * as feed from './change-feed.store.ts';
import type { FeedEntry } from './entries.store.ts';
import * as store from './entries.store.ts';
import type { ItemKind } from './entries.tables.ts';

/** A new row, and the revision from which it was prepared. */
export type UpdatedEntry = Omit<store.NewEntry, 'created_at' | 'kind'> & { readonly was: number };

/**
 * The rows of notes and attachments, independent of their kind. Lists have an order of their own, not the database's: seqs
 * are given out in it, and the order of PostgreSQL differs from run to run.
 */
export const entryRows = {
  /** Returns live entries of one kind (null: of both) by id, in the order of `ids`. */
  async rowsById(handle: ReadHandle, vault: VaultId, kind: ItemKind | null, ids: readonly string[]) {
    const rowOf = new Map((await handle.allMany(store.findRows, { vault }, ids)).map((row) => [row.id, row]));
    const rows = [...new Set(ids)].map((id) => rowOf.get(id)).filter((row) => row !== undefined);
    return kind === null ? rows : rows.filter((row) => row.kind === kind);
  },
  rowsAt: (handle: ReadHandle, vault: VaultId, kind: ItemKind, pathKeys: readonly Buffer[]) =>
    handle.allMany(store.findByPaths, { vault, kind }, pathKeys),
  /** Returns live entries of one kind directly inside some folders (null: the root), ordered by id. */
  async rowsIn(handle: ReadHandle, vault: VaultId, kind: ItemKind, folders: readonly string[] | null) {
    const rows =
      folders === null
        ? await handle.all(store.findRowsAtRoot, { vault, kind })
        : await handle.allMany(store.findRowsIn, { vault, kind }, folders);
    return rows.sort((a, b) => (a.id < b.id ? -1 : 1));
  },
  async countAtRoot(handle: ReadHandle, vault: VaultId, kind: ItemKind): Promise<number> {
    return (await handle.get(store.countAtRoot, { vault, kind }))?.entries ?? 0;
  },
  async hasRevision(handle: ReadHandle, vault: VaultId, { id, revision }: Pick<store.StoredEntry, 'id' | 'revision'>) {
    return (await handle.get(store.findRevision, { vault_id: vault, id }))?.revision === revision;
  },
  /**
   * Inserts an entry that is counted in its folder. Returns false when its path or id is taken, its id spent, or a
   * tombstone of a note at the path has a higher version than `tombstoneVersion`.
   */
  async insert(handle: WriteHandle, row: store.NewEntry, tombstoneVersion = Number.MAX_SAFE_INTEGER) {
    return (await handle.run(store.insertEntry, { ...row, tombstoneVersion })) > 0;
  },
  /** Updates a live row without moving it; returns false when it no longer has the revision `was`. */
  async update(handle: WriteHandle, row: UpdatedEntry) {
    return (await handle.run(store.updateEntry, row)) > 0;
  },
  /**
   * Revives a tombstone. Returns false when it no longer has the revision `was` or is no longer in the trash, its path
   * is taken, or a tombstone of a note at the path has a higher version than `tombstoneVersion`.
   */
  async revive(handle: WriteHandle, row: UpdatedEntry, tombstoneVersion = Number.MAX_SAFE_INTEGER) {
    return (await handle.run(store.reviveEntry, { ...row, tombstoneVersion })) > 0;
  },
  /** Tombstones among the rows are then in the trash. Returns false when `overwriteEntries` changes too few rows. */
  async overwrite(handle: WriteHandle, vault: VaultId, rows: readonly store.StoredEntry[]) {
    const written = rows.map((row) => ({ ...row, trashed: row.deleted_at === null ? null : (1 as const) }));
    return (await handle.runMany(store.overwriteEntries, { vault }, written)) === rows.length;
  },
};

const PAGE = 1000;

/** The change feed of a vault: rows last written after a seq, ordered by seq. */
export const entryChangeFeed = {
  /** Returns the first `limit` notes, attachments and tombstones written after `after`, still sealed. */
  changedAfter: (handle: ReadHandle, vault: OpenVault, after: Seq, limit: number) =>
    handle.all(feed.findChangedAfter, { vault: vault.id, after, limit }),
  changedOf: (handle: ReadHandle, vault: OpenVault, kind: ItemKind, after: Seq, limit: number) =>
    handle.all(feed.findChangedOf, { vault: vault.id, kind, after, limit }),
  /** Returns the live entries of one kind that were written last, newest first. */
  newestOf: (handle: ReadHandle, vault: OpenVault, kind: ItemKind, limit: number) =>
    handle.all(feed.findNewest, { vault: vault.id, kind, limit }),
  /** Returns every live entry of one kind, ordered by seq. `handle` must be of a snapshot. */
  async allLive(handle: ReadHandle, vault: OpenVault, kind: ItemKind): Promise<FeedEntry[]> {
    const found: FeedEntry[] = [];
    for (let after = 0; ; ) {
      const rows = await handle.all(feed.findLiveAfter, { vault: vault.id, kind, after, limit: PAGE });
      found.push(...rows);
      after = rows.at(-1)?.seq ?? after;
      if (rows.length < PAGE) return found;
    }
  },
};
