import type { VaultId } from '@notevault/protocol/values/ids.ts';
import { type Kysely, sql } from 'kysely';
import { statementsOver } from '../../../../ports/database/statement.ts';
import type { StoredEntry } from '../entries.store.ts';
import { type EntriesTables, ITEM_COLUMNS, type ItemKind } from '../entries.tables.ts';

const { statement, listStatement } = statementsOver<EntriesTables>();

// Literals, because a partial index is of no use to a condition with a parameter.
const IN_TRASH = sql<boolean>`trashed = 1`;
const PURGED = sql<boolean>`trashed = 0`;

export interface TrashedEntry extends StoredEntry {
  readonly deleted_at: number;
}

/** A position in the list, which is ordered by time of deletion and id, the last first. */
export interface TrashPosition {
  readonly deletedAt: number;
  readonly id: string;
}

type Page = TrashPosition & { readonly vault: VaultId; readonly since: number; readonly limit: number };

function trashedBefore(db: Kysely<EntriesTables>, kind: ItemKind, p: Page) {
  return db
    .selectFrom('entries')
    .select(ITEM_COLUMNS)
    .where('vault_id', '=', p.vault)
    .where('kind', '=', kind)
    .where(IN_TRASH)
    .where('deleted_at', '>', p.since)
    .where((eb) => eb(eb.refTuple('deleted_at', 'id'), '<', eb.tuple(p.deletedAt, p.id)));
}

/** Selects entries deleted after a time and after a position, newest first, each kind by its own index. */
export const findTrashed = statement((db, p: Page) =>
  trashedBefore(db, 'note', p)
    .unionAll(trashedBefore(db, 'attachment', p))
    .orderBy('deleted_at', 'desc')
    .orderBy('id', 'desc')
    .limit(p.limit)
    .$castTo<TrashedEntry>(),
);

/** Selects such a page of the entries that had a path when they were deleted. */
export const findTrashedAt = statement((db, p: Page & { readonly pathKey: Buffer }) =>
  trashedBefore(db, 'note', p)
    .where('path_key', '=', p.pathKey)
    .unionAll(trashedBefore(db, 'attachment', p).where('path_key', '=', p.pathKey))
    .orderBy('deleted_at', 'desc')
    .orderBy('id', 'desc')
    .limit(p.limit)
    .$castTo<TrashedEntry>(),
);

export const findTrashedById = statement((db, p: { vault: VaultId; id: string; since: number }) =>
  db
    .selectFrom('entries')
    .select(ITEM_COLUMNS)
    .where('vault_id', '=', p.vault)
    .where('id', '=', p.id)
    .where('deleted_at', '>', p.since)
    .where('trashed', '=', 1)
    .$castTo<TrashedEntry>(),
);

export const findOldest = statement((db, p: { vault: VaultId; kind: ItemKind; limit: number }) =>
  db
    .selectFrom('entries')
    .select(['id', 'kind', 'size_bytes', 'blob_id'])
    .where('vault_id', '=', p.vault)
    .where('kind', '=', p.kind)
    .where(IN_TRASH)
    .orderBy('deleted_at')
    .orderBy('id')
    .limit(p.limit)
    .$castTo<{ id: string; kind: ItemKind; size_bytes: number; blob_id: string | null }>(),
);

/** Takes entries out of the trash; their tombstones remain. */
export const markPurged = listStatement((db, p: { vault: VaultId }, ids: string[]) =>
  db
    .updateTable('entries')
    .set({ trashed: 0, blob_id: null })
    .where('vault_id', '=', p.vault)
    .where('id', 'in', ids)
    .where('trashed', '=', 1),
);

/** Records that no data of purged entries is left. */
export const markCleared = listStatement((db, p: { vault: VaultId }, ids: string[]) =>
  db
    .updateTable('entries')
    .set({ trashed: null })
    .where('vault_id', '=', p.vault)
    .where('id', 'in', ids)
    .where('trashed', '=', 0),
);

/** Purged entries of all vaults with data left, ordered by id, after a given one. */
export const findPurged = statement((db, p: { after: string; limit: number }) =>
  db
    .selectFrom('entries')
    .select(['vault_id', 'id', 'kind'])
    .where(PURGED)
    .where('id', '>', p.after)
    .orderBy('id')
    .limit(p.limit)
    .$castTo<{ vault_id: VaultId; id: string; kind: ItemKind }>(),
);
