import type { VaultId } from '@notevault/protocol/ids.ts';
import { statementsOver } from '../../ports/database/statement.ts';
import type { AttachmentsTables } from './attachments.tables.ts';

const { statement, listStatement } = statementsOver<AttachmentsTables>();

/** Tombstones of all vaults by age, then id, behind one of them. */
export const findExpired = statement((db, p: { until: number; deletedAt: number; id: string; limit: number }) =>
  db
    .selectFrom('attachments')
    .select(['vault_id', 'id', 'seq', 'deleted_at'])
    .where('deleted_at', 'is not', null)
    .where('deleted_at', '<=', p.until)
    .where((eb) => eb(eb.refTuple('deleted_at', 'id'), '>', eb.tuple(p.deletedAt, p.id)))
    .orderBy('deleted_at')
    .orderBy('id')
    .limit(p.limit),
);

/** Those of some rows that are tombstones still. */
export const findTombstones = listStatement((db, p: { vault: VaultId }, ids: string[]) =>
  db
    .selectFrom('attachments')
    .select(['id', 'seq'])
    .where('vault_id', '=', p.vault)
    .where('id', 'in', ids)
    .where('deleted_at', 'is not', null),
);

export const deleteRows = listStatement((db, p: { vault: VaultId }, ids: string[]) =>
  db.deleteFrom('attachments').where('vault_id', '=', p.vault).where('id', 'in', ids),
);
