import type { VaultId } from '@notevault/protocol/values/ids.ts';
import type { Kysely } from 'kysely';
import { excluded, picked, statementsOver } from '../../../../ports/database/statement.ts';
import type { EntriesTables, EntryKind, EntryRow } from '../entries.tables.ts';

const { statement, listStatement } = statementsOver<EntriesTables>();

const folder = [
  'id',
  'revision',
  'parent_id',
  'path_key',
  'created_at',
  'updated_at',
  'explicit',
  'notes',
  'children',
  'meta',
] as const;

/** A folder's row, with its meta still sealed. */
export type StoredFolder = {
  readonly [Column in (typeof folder)[number]]: Column extends 'parent_id'
    ? string | null
    : NonNullable<EntryRow[Column]>;
};

export const findOwner = statement((db, p: { vault: VaultId; pathKey: Buffer }) =>
  db
    .selectFrom('entries')
    .select(['kind', 'id'])
    .where('vault_id', '=', p.vault)
    .where('path_key', '=', p.pathKey)
    .where('deleted_at', 'is', null),
);

const folders = (db: Kysely<EntriesTables>, vault: VaultId) =>
  db
    .selectFrom('entries')
    .select(folder)
    .where('vault_id', '=', vault)
    .where('kind', '=', 'folder')
    .$castTo<StoredFolder>();

/** The entry that has the path of a folder, with its meta still sealed. */
export type FolderOwner = Readonly<Pick<EntryRow, 'path_key' | 'kind' | 'id' | 'revision' | 'meta'>>;

export const findOwners = listStatement((db, p: { vault: VaultId }, pathKeys: Buffer[]) =>
  db
    .selectFrom('entries')
    .select(['path_key', 'kind', 'id', 'revision', 'meta'])
    .where('vault_id', '=', p.vault)
    .where('path_key', 'in', pathKeys)
    .where('deleted_at', 'is', null),
);

export const findFolders = statement((db, p: { vault: VaultId }) => folders(db, p.vault));

export const findFoldersById = listStatement((db, p: { vault: VaultId }, ids: string[]) =>
  folders(db, p.vault).where('id', 'in', ids),
);

export const findFoldersIn = listStatement((db, p: { vault: VaultId }, parents: string[]) =>
  folders(db, p.vault).where('parent_id', 'in', parents).where('deleted_at', 'is', null),
);

export const findFolderAt = statement((db, p: { vault: VaultId; pathKey: Buffer }) =>
  folders(db, p.vault).where('path_key', '=', p.pathKey).where('deleted_at', 'is', null),
);

export interface NewFolder extends Omit<StoredFolder, 'created_at' | 'updated_at'> {
  readonly vault_id: string;
  readonly now: number;
}

/** Changes no row when the path is taken. */
export const insertFolder = statement((db, p: NewFolder) =>
  db
    .insertInto('entries')
    .values({
      vault_id: p.vault_id,
      id: p.id,
      kind: 'folder' satisfies EntryKind,
      revision: p.revision,
      parent_id: p.parent_id,
      path_key: p.path_key,
      size_bytes: 0,
      mtime: 0,
      created_at: p.now,
      updated_at: p.now,
      explicit: p.explicit,
      notes: p.notes,
      children: p.children,
      meta: p.meta,
    })
    .onConflict((conflict) => conflict.doNothing()),
);

/** Updates the paths and spellings of folders, not their counts. */
export const overwriteFolders = listStatement((db, p: { vault: VaultId; now: number }, rows: StoredFolder[]) =>
  db
    .insertInto('entries')
    .values(
      rows.map((each) => ({
        vault_id: p.vault,
        ...picked(each, folder),
        kind: 'folder' satisfies EntryKind as EntryKind,
        size_bytes: 0,
        mtime: 0,
        updated_at: p.now,
      })),
    )
    .onConflict((conflict) =>
      conflict
        .columns(['vault_id', 'id'])
        .doUpdateSet(excluded('revision', 'parent_id', 'path_key', 'updated_at', 'meta')),
    ),
);

export const setExplicit = statement((db, p: { vault: VaultId; id: string; explicit: number }) =>
  db
    .updateTable('entries')
    .set({ explicit: p.explicit })
    .where('vault_id', '=', p.vault)
    .where('id', '=', p.id)
    .where('kind', '=', 'folder')
    .returning(['children'])
    .$castTo<{ children: number }>(),
);

export const countInFolder = statement((db, p: { vault: VaultId; pathKey: Buffer; notes: number; children: number }) =>
  db
    .updateTable('entries')
    .set((eb) => ({ notes: eb('notes', '+', p.notes), children: eb('children', '+', p.children) }))
    .where('vault_id', '=', p.vault)
    .where('path_key', '=', p.pathKey)
    .where('deleted_at', 'is', null)
    .where('kind', '=', 'folder')
    .returning(['id', 'explicit', 'children'])
    .$castTo<{ id: string; explicit: number; children: number }>(),
);

/** Adds to the counts of a folder found before the transaction, if its path and spelling have not changed. */
export const countInNearestFolder = statement(
  (db, p: { vault: VaultId; id: string; revision: number; notes: number; children: number }) =>
    db
      .updateTable('entries')
      .set((eb) => ({ notes: eb('notes', '+', p.notes), children: eb('children', '+', p.children) }))
      .where('vault_id', '=', p.vault)
      .where('id', '=', p.id)
      .where('kind', '=', 'folder')
      .where('revision', '=', p.revision),
);
