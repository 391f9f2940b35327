import type { VaultId } from '@notevault/protocol/ids.ts';
import { statementsOver } from '../../engines/database/statement.ts';
import type { FolderRow, TreeTables } from './tree.tables.ts';

const { statement, listStatement } = statementsOver<TreeTables>();

/** A path and what holds it. */
export interface NewName {
  readonly pathKey: Buffer;
  readonly kind: string;
  readonly item: string;
}

export const findName = statement((db, p: { vault: VaultId; pathKey: Buffer }) =>
  db.selectFrom('names').select(['kind', 'item_id']).where('vault_id', '=', p.vault).where('path_key', '=', p.pathKey),
);

/** Changes no row when the path is held already. */
export const insertName = statement((db, p: { vault: VaultId; pathKey: Buffer; kind: string; item: string }) =>
  db
    .insertInto('names')
    .values({ vault_id: p.vault, path_key: p.pathKey, kind: p.kind, item_id: p.item })
    .onConflict((conflict) => conflict.columns(['vault_id', 'path_key']).doNothing()),
);

export const deleteName = statement((db, p: { vault: VaultId; pathKey: Buffer; item: string }) =>
  db
    .deleteFrom('names')
    .where('vault_id', '=', p.vault)
    .where('path_key', '=', p.pathKey)
    .where('item_id', '=', p.item),
);

export const insertNames = listStatement((db, p: { vault: VaultId }, names: NewName[]) =>
  db
    .insertInto('names')
    .values(names.map((name) => ({ vault_id: p.vault, path_key: name.pathKey, kind: name.kind, item_id: name.item })))
    .onConflict((conflict) => conflict.columns(['vault_id', 'path_key']).doNothing()),
);

export const deleteNames = listStatement((db, p: { vault: VaultId }, pathKeys: Buffer[]) =>
  db.deleteFrom('names').where('vault_id', '=', p.vault).where('path_key', 'in', pathKeys),
);

const folder = ['id', 'parent_id', 'path_key', 'marker', 'notes', 'children', 'path'] as const;

export const findFolders = statement((db, p: { vault: VaultId }) =>
  db.selectFrom('folders').select(folder).where('vault_id', '=', p.vault),
);

export const findFoldersById = listStatement((db, p: { vault: VaultId }, ids: string[]) =>
  db.selectFrom('folders').select(folder).where('vault_id', '=', p.vault).where('id', 'in', ids),
);

export const findFoldersIn = listStatement((db, p: { vault: VaultId }, parents: string[]) =>
  db.selectFrom('folders').select(folder).where('vault_id', '=', p.vault).where('parent_id', 'in', parents),
);

export const deleteFolders = listStatement((db, p: { vault: VaultId }, ids: string[]) =>
  db.deleteFrom('folders').where('vault_id', '=', p.vault).where('id', 'in', ids),
);

export const insertFolders = listStatement((db, p: { vault: VaultId }, rows: Omit<FolderRow, 'vault_id'>[]) =>
  db.insertInto('folders').values(
    rows.map((row) => ({
      vault_id: p.vault,
      id: row.id,
      parent_id: row.parent_id,
      path_key: row.path_key,
      marker: row.marker,
      notes: row.notes,
      children: row.children,
      path: row.path,
    })),
  ),
);

export const setMarker = statement((db, p: { vault: VaultId; id: string; marker: number }) =>
  db
    .updateTable('folders')
    .set({ marker: p.marker })
    .where('vault_id', '=', p.vault)
    .where('id', '=', p.id)
    .returning(['children']),
);

/** What holds each of some paths, folders with their spelling. */
export const findHolders = listStatement((db, p: { vault: VaultId }, pathKeys: Buffer[]) =>
  db
    .selectFrom('names')
    .leftJoin('folders', (join) =>
      join.onRef('folders.vault_id', '=', 'names.vault_id').onRef('folders.id', '=', 'names.item_id'),
    )
    .select(['names.path_key', 'names.kind', 'names.item_id', 'folders.path'])
    .where('names.vault_id', '=', p.vault)
    .where('names.path_key', 'in', pathKeys),
);

export const insertFolder = statement(
  (db, p: { vault: VaultId; id: string; parent: string | null; pathKey: Buffer; marker: number; path: Buffer }) =>
    db.insertInto('folders').values({
      vault_id: p.vault,
      id: p.id,
      parent_id: p.parent,
      path_key: p.pathKey,
      marker: p.marker,
      notes: 0,
      children: 0,
      path: p.path,
    }),
);

export const findFolder = statement((db, p: { vault: VaultId; id: string }) =>
  db.selectFrom('folders').select(['path']).where('vault_id', '=', p.vault).where('id', '=', p.id),
);

/** Counts what comes into or leaves a folder, provided the folder still stands at that path. */
export const countInFolder = statement(
  (db, p: { vault: VaultId; id: string; pathKey: Buffer; notes: number; children: number }) =>
    db
      .updateTable('folders')
      .set((eb) => ({ notes: eb('notes', '+', p.notes), children: eb('children', '+', p.children) }))
      .where('vault_id', '=', p.vault)
      .where('id', '=', p.id)
      .where('path_key', '=', p.pathKey)
      .returning(['marker', 'children']),
);

/** As countInFolder, for a folder found before the transaction: only while its path is spelled as it was then. */
export const countInAnchor = statement(
  (db, p: { vault: VaultId; id: string; path: Buffer; notes: number; children: number }) =>
    db
      .updateTable('folders')
      .set((eb) => ({ notes: eb('notes', '+', p.notes), children: eb('children', '+', p.children) }))
      .where('vault_id', '=', p.vault)
      .where('id', '=', p.id)
      .where('path', '=', p.path),
);

export const deleteFolder = statement((db, p: { vault: VaultId; id: string }) =>
  db.deleteFrom('folders').where('vault_id', '=', p.vault).where('id', '=', p.id),
);

export const eraseNames = statement((db, p: { vault: VaultId; limit: number }) =>
  db
    .deleteFrom('names')
    .where('vault_id', '=', p.vault)
    .where('path_key', 'in', (eb) =>
      eb.selectFrom('names').select('path_key').where('vault_id', '=', p.vault).limit(p.limit),
    ),
);

export const eraseFolders = statement((db, p: { vault: VaultId; limit: number }) =>
  db
    .deleteFrom('folders')
    .where('vault_id', '=', p.vault)
    .where('id', 'in', (eb) => eb.selectFrom('folders').select('id').where('vault_id', '=', p.vault).limit(p.limit)),
);
