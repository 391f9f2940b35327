import type { VaultId } from '@notevault/protocol/ids.ts';
import { statementsOver } from '../../ports/database/statement.ts';
import type { FolderRow, NamespaceTables } from './namespace.tables.ts';

const { statement, listStatement } = statementsOver<NamespaceTables>();

/** A path and what holds it. */
export interface NewPath {
  readonly pathKey: Buffer;
  readonly kind: string;
  readonly item: string;
}

export const findPath = statement((db, p: { vault: VaultId; pathKey: Buffer }) =>
  db.selectFrom('paths').select(['kind', 'item_id']).where('vault_id', '=', p.vault).where('path_key', '=', p.pathKey),
);

/** Changes no row when the path is held already. */
export const insertPath = statement((db, p: { vault: VaultId; pathKey: Buffer; kind: string; item: string }) =>
  db
    .insertInto('paths')
    .values({ vault_id: p.vault, path_key: p.pathKey, kind: p.kind, item_id: p.item })
    .onConflict((conflict) => conflict.columns(['vault_id', 'path_key']).doNothing()),
);

export const deletePath = statement((db, p: { vault: VaultId; pathKey: Buffer; item: string }) =>
  db
    .deleteFrom('paths')
    .where('vault_id', '=', p.vault)
    .where('path_key', '=', p.pathKey)
    .where('item_id', '=', p.item),
);

export const insertPaths = listStatement((db, p: { vault: VaultId }, paths: NewPath[]) =>
  db
    .insertInto('paths')
    .values(paths.map((name) => ({ vault_id: p.vault, path_key: name.pathKey, kind: name.kind, item_id: name.item })))
    .onConflict((conflict) => conflict.columns(['vault_id', 'path_key']).doNothing()),
);

export const deletePaths = listStatement((db, p: { vault: VaultId }, pathKeys: Buffer[]) =>
  db.deleteFrom('paths').where('vault_id', '=', p.vault).where('path_key', 'in', pathKeys),
);

const folder = ['id', 'parent_id', 'path_key', 'explicit', 'notes', 'children', 'path'] as const;

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
      explicit: row.explicit,
      notes: row.notes,
      children: row.children,
      path: row.path,
    })),
  ),
);

export const setExplicit = statement((db, p: { vault: VaultId; id: string; explicit: number }) =>
  db
    .updateTable('folders')
    .set({ explicit: p.explicit })
    .where('vault_id', '=', p.vault)
    .where('id', '=', p.id)
    .returning(['children']),
);

/** What holds each of some paths, folders with their spelling. */
export const findOwners = listStatement((db, p: { vault: VaultId }, pathKeys: Buffer[]) =>
  db
    .selectFrom('paths')
    .leftJoin('folders', (join) =>
      join.onRef('folders.vault_id', '=', 'paths.vault_id').onRef('folders.id', '=', 'paths.item_id'),
    )
    .select(['paths.path_key', 'paths.kind', 'paths.item_id', 'folders.path'])
    .where('paths.vault_id', '=', p.vault)
    .where('paths.path_key', 'in', pathKeys),
);

export const insertFolder = statement(
  (db, p: { vault: VaultId; id: string; parent: string | null; pathKey: Buffer; explicit: number; path: Buffer }) =>
    db.insertInto('folders').values({
      vault_id: p.vault,
      id: p.id,
      parent_id: p.parent,
      path_key: p.pathKey,
      explicit: p.explicit,
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
      .returning(['explicit', 'children']),
);

/** As countInFolder, for a folder found before the transaction: only while its path is spelled as it was then. */
export const countInNearestFolder = statement(
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

export const purgePaths = statement((db, p: { vault: VaultId; limit: number }) =>
  db
    .deleteFrom('paths')
    .where('vault_id', '=', p.vault)
    .where('path_key', 'in', (eb) =>
      eb.selectFrom('paths').select('path_key').where('vault_id', '=', p.vault).limit(p.limit),
    ),
);

export const purgeFolders = statement((db, p: { vault: VaultId; limit: number }) =>
  db
    .deleteFrom('folders')
    .where('vault_id', '=', p.vault)
    .where('id', 'in', (eb) => eb.selectFrom('folders').select('id').where('vault_id', '=', p.vault).limit(p.limit)),
);
