import type { Seq, VaultId } from '@notevault/protocol/values/ids.ts';
import { statementsOver } from '../../../../ports/database/statement.ts';
import type { EntriesTables, EntryRow, ItemKind } from '../entries.tables.ts';

const { statement, listStatement } = statementsOver<EntriesTables>();

export interface ExpiredTombstone {
  readonly vault_id: VaultId;
  readonly id: string;
  readonly seq: Seq;
  readonly deleted_at: number;
}

export const findExpired = statement((db, p: { until: number; deletedAt: number; id: string; limit: number }) =>
  db
    .selectFrom('entries')
    .select(['vault_id', 'id', 'seq', 'deleted_at'])
    .where('deleted_at', 'is not', null)
    .where('deleted_at', '<=', p.until)
    .where((eb) => eb(eb.refTuple('deleted_at', 'id'), '>', eb.tuple(p.deletedAt, p.id)))
    .orderBy('deleted_at')
    .orderBy('id')
    .limit(p.limit)
    .$castTo<ExpiredTombstone>(),
);

/** A tombstone, with what counts when it is dropped. */
export type StoredTombstone = Readonly<Pick<EntryRow, 'id' | 'size_bytes' | 'blob_id' | 'trashed'>> & {
  readonly kind: ItemKind;
  readonly seq: number;
};

export const findTombstones = listStatement((db, p: { vault: VaultId }, ids: string[]) =>
  db
    .selectFrom('entries')
    .select(['id', 'kind', 'seq', 'size_bytes', 'blob_id', 'trashed'])
    .where('vault_id', '=', p.vault)
    .where('id', 'in', ids)
    .where('deleted_at', 'is not', null)
    .$castTo<StoredTombstone>(),
);

export const insertSpentIds = listStatement((db, p: { vault: VaultId }, ids: string[]) =>
  db
    .insertInto('spent_ids')
    .values(ids.map((id) => ({ vault_id: p.vault, id })))
    .onConflict((conflict) => conflict.doNothing()),
);
