import type { VaultId } from '@notevault/protocol/ids.ts';
import type { ReadHandle, WriteHandle } from '../../ports/database/database.ts';
import * as store from './entries.store.ts';
import type { ItemKind } from './entries.tables.ts';

/** The rows of notes and attachments, whatever they hold. */
export interface EntryRows {
  /** Live entries of a kind (null: of either) by id. */
  rowsById(
    handle: ReadHandle,
    vault: VaultId,
    kind: ItemKind | null,
    ids: readonly string[],
  ): Promise<store.StoredEntry[]>;
  /** Live entries of a kind at some paths. */
  rowsAt(handle: ReadHandle, vault: VaultId, kind: ItemKind, pathKeys: readonly Buffer[]): Promise<store.StoredEntry[]>;
  /** Live entries of a kind directly inside some folders; null: at the root. */
  rowsIn(
    handle: ReadHandle,
    vault: VaultId,
    kind: ItemKind,
    folders: readonly string[] | null,
  ): Promise<store.StoredEntry[]>;
  countAtRoot(handle: ReadHandle, vault: VaultId, kind: ItemKind): Promise<number>;
  /** Whether a row is as it was when it was read. */
  hasRevision(handle: ReadHandle, vault: VaultId, row: Pick<store.StoredEntry, 'id' | 'revision'>): Promise<boolean>;
  /**
   * Inserts an entry, counted into its folder before. False when its path is taken, its id is taken or spent, or a tombstone
   * of a note at the path has a higher version than `tombstoneVersion`: what the row was made from has changed.
   */
  insert(handle: WriteHandle, row: store.NewEntry, tombstoneVersion?: number): Promise<boolean>;
  /** Writes over a live row, which stays where it is; false when it does not have the revision `was` any more. */
  update(handle: WriteHandle, row: UpdatedEntry): Promise<boolean>;
  /**
   * Makes a tombstone a live entry again. False when it does not have the revision `was` any more, its path is taken, or a
   * tombstone at the path has a higher version than `tombstoneVersion`.
   */
  revive(handle: WriteHandle, row: UpdatedEntry, tombstoneVersion: number): Promise<boolean>;
  /** Writes over live rows, also as tombstones; false when one does not have the revision before its new one any more. */
  overwrite(handle: WriteHandle, vault: VaultId, rows: readonly store.StoredEntry[]): Promise<boolean>;
}

/** A row as it becomes, and the revision that it was prepared from. */
export type UpdatedEntry = Omit<store.NewEntry, 'created_at' | 'kind'> & { readonly was: number };

export const entryRows: EntryRows = {
  async rowsById(handle, vault, kind, ids) {
    const rows = await handle.allMany(store.findRows, { vault }, ids);
    return kind === null ? rows : rows.filter((row) => row.kind === kind);
  },
  rowsAt: (handle, vault, kind, pathKeys) => handle.allMany(store.findByPaths, { vault, kind }, pathKeys),
  rowsIn: (handle, vault, kind, folders) =>
    folders === null
      ? handle.all(store.findRowsAtRoot, { vault, kind })
      : handle.allMany(store.findRowsIn, { vault, kind }, folders),
  countAtRoot: async (handle, vault, kind) => (await handle.get(store.countAtRoot, { vault, kind }))?.entries ?? 0,
  hasRevision: async (handle, vault, { id, revision }) =>
    (await handle.get(store.findRevision, { vault, id }))?.revision === revision,
  insert: async (handle, row, tombstoneVersion = Number.MAX_SAFE_INTEGER) =>
    (await handle.run(store.insertEntry, { ...row, tombstoneVersion })) > 0,
  update: async (handle, row) => (await handle.run(store.updateEntry, row)) > 0,
  revive: async (handle, row, tombstoneVersion) =>
    (await handle.run(store.reviveEntry, { ...row, tombstoneVersion })) > 0,
  overwrite: async (handle, vault, rows) =>
    (await handle.runMany(store.overwriteEntries, { vault }, rows)) === rows.length,
};
