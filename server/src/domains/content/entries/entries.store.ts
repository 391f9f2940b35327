import type { VaultId } from '@notevault/protocol/values/ids.ts';
import { type Kysely, sql } from 'kysely';
import { excluded, picked, statementsOver } from '../../../ports/database/statement.ts';
import { type EntriesTables, type EntryRow, ITEM_COLUMNS, type ItemKind } from './entries.tables.ts';

const { statement, listStatement, table } = statementsOver<EntriesTables>();
const entries = table('entries');

/** The kinds that have a seq, in the order in which they take seqs. */
export const ITEM_KINDS: readonly ItemKind[] = ['note', 'attachment'];

type NotOfFeed = 'vault_id' | 'path_key' | 'name_key' | 'trashed' | 'explicit' | 'notes' | 'children' | 'kind' | 'seq';

/** A note or attachment in the change feed, with its meta still sealed. */
export interface FeedEntry extends Readonly<Omit<EntryRow, NotOfFeed>> {
  readonly kind: ItemKind;
  readonly seq: number;
}

/** The row of a note or attachment, with its meta still sealed. */
export interface StoredEntry extends FeedEntry {
  readonly path_key: Buffer;
  readonly name_key: Buffer;
}

const liveItems = (db: Kysely<EntriesTables>, vault: VaultId) =>
  db
    .selectFrom('entries')
    .select(ITEM_COLUMNS)
    .where('vault_id', '=', vault)
    .where('deleted_at', 'is', null)
    .$castTo<StoredEntry>();

export const findByPaths = listStatement((db, p: { vault: VaultId; kind: ItemKind }, pathKeys: Buffer[]) =>
  liveItems(db, p.vault).where('path_key', 'in', pathKeys).where('kind', '=', p.kind),
);

export const findRows = listStatement((db, p: { vault: VaultId }, ids: string[]) =>
  liveItems(db, p.vault).where('id', 'in', ids).where('seq', 'is not', null),
);

export const findRowsIn = listStatement((db, p: { vault: VaultId; kind: ItemKind }, folders: string[]) =>
  liveItems(db, p.vault).where('parent_id', 'in', folders).where('kind', '=', p.kind),
);

export const findRowsAtRoot = statement((db, p: { vault: VaultId; kind: ItemKind }) =>
  liveItems(db, p.vault).where('parent_id', 'is', null).where('kind', '=', p.kind),
);

export const countAtRoot = statement((db, p: { vault: VaultId; kind: ItemKind }) =>
  db
    .selectFrom('entries')
    .select((eb) => eb.fn.countAll<number>().as('entries'))
    .where('vault_id', '=', p.vault)
    .where('parent_id', 'is', null)
    .where('kind', '=', p.kind)
    .where('deleted_at', 'is', null),
);

export const findRevision = entries.find(['vault_id', 'id'], ['revision']);

export interface NewEntry extends Omit<StoredEntry, 'deleted_at'> {
  readonly vault_id: string;
}

const EDITED = [
  'seq',
  'revision',
  'version',
  'name_key',
  'blob_id',
  'size_bytes',
  'mtime',
  'updated_at',
  'meta',
] as const;
const NEW_ENTRY = ['vault_id', 'id', 'kind', 'created_at', 'parent_id', 'path_key', ...EDITED] as const;
const OVERWRITTEN = ['parent_id', 'path_key', 'deleted_at', 'trashed', ...EDITED] as const;

/** Changes no row in the cases that `entryRows.insert` lists. */
export const insertEntry = statement((db, p: NewEntry & { tombstoneVersion: number }) =>
  db
    .insertInto('entries')
    .columns(NEW_ENTRY)
    .expression(
      db
        .selectNoFrom(({ val }) => NEW_ENTRY.map((column) => val(p[column]).as(column)))
        .where(({ not, exists, selectFrom }) =>
          not(exists(selectFrom('spent_ids').select('id').where('id', '=', p.id))),
        )
        .where(({ not, exists, selectFrom }) =>
          not(
            exists(
              selectFrom('entries')
                .select('id')
                .where('vault_id', '=', p.vault_id)
                .where('path_key', '=', p.path_key)
                .where('deleted_at', 'is not', null)
                .where('version', '>', p.tombstoneVersion),
            ),
          ),
        ),
    )
    .onConflict((conflict) => conflict.doNothing()),
);

export const updateEntry = statement((db, p: Omit<NewEntry, 'created_at' | 'kind'> & { was: number }) =>
  db
    .updateTable('entries')
    .set(picked(p, EDITED))
    .where('vault_id', '=', p.vault_id)
    .where('id', '=', p.id)
    .where('revision', '=', p.was)
    .where('deleted_at', 'is', null),
);

interface Revival {
  readonly was: number;
  readonly tombstoneVersion: number;
}

/** Changes no row in the cases that `entryRows.revive` lists. */
export const reviveEntry = statement((db, p: Omit<NewEntry, 'created_at' | 'kind'> & Revival) =>
  db
    .updateTable('entries')
    .set({ ...picked(p, EDITED), parent_id: p.parent_id, path_key: p.path_key, deleted_at: null, trashed: null })
    .where('vault_id', '=', p.vault_id)
    .where('id', '=', p.id)
    .where('revision', '=', p.was)
    .where('deleted_at', 'is not', null)
    .where('trashed', '=', 1)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('entries as other')
            .select('other.id')
            .where('other.vault_id', '=', p.vault_id)
            .where('other.path_key', '=', p.path_key)
            .where('other.deleted_at', 'is', null),
        ),
      ),
    )
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('entries as tombstone')
            .select('tombstone.id')
            .where('tombstone.vault_id', '=', p.vault_id)
            .where('tombstone.path_key', '=', p.path_key)
            .where('tombstone.deleted_at', 'is not', null)
            .where('tombstone.version', '>', p.tombstoneVersion),
        ),
      ),
    ),
);

interface OverwrittenEntry extends StoredEntry {
  readonly trashed: 1 | null;
}

/**
 * Updates live rows, also to tombstones. Changes fewer rows than given when one no longer has the revision before its
 * new one. A taken path violates a constraint: a move must check it first.
 */
export const overwriteEntries = listStatement((db, p: { vault: VaultId }, rows: OverwrittenEntry[]) =>
  db
    .insertInto('entries')
    .values(
      rows.map((each) => ({
        vault_id: p.vault,
        ...picked(each, ['id', 'kind', 'created_at', ...OVERWRITTEN]),
      })),
    )
    .onConflict((conflict) =>
      conflict
        .columns(['vault_id', 'id'])
        .doUpdateSet(excluded(...OVERWRITTEN))
        .where(sql<boolean>`entries.revision = excluded.revision - 1 and entries.deleted_at is null`),
    ),
);

/** Gives live rows other path keys, and changes nothing else. */
export const rekeyEntries = listStatement((db, p: { vault: VaultId }, rows: StoredEntry[]) =>
  db
    .insertInto('entries')
    .values(
      rows.map((each) => ({
        vault_id: p.vault,
        ...picked(each, ['id', 'kind', 'created_at', 'parent_id', 'path_key', ...EDITED]),
      })),
    )
    .onConflict((conflict) => conflict.columns(['vault_id', 'id']).doUpdateSet(excluded('path_key'))),
);

/** A slice of a purged vault's entries, with their sizes. */
export const findSomeEntries = statement((db, p: { vault: VaultId; limit: number }) =>
  db.selectFrom('entries').select(['id', 'kind', 'size_bytes']).where('vault_id', '=', p.vault).limit(p.limit),
);

/** Rows that reference the entry are deleted by the cascade of their foreign keys. */
export const deleteEntries = entries.deleteMany(['vault_id'], 'id');

export const purgeSpentIds = table('spent_ids').deleteSome(['vault_id'], 'id');
