import type { VaultId } from '@notevault/protocol/ids.ts';
import { statementsOver } from '../../ports/database/statement.ts';
import type { NotesTables } from './notes.tables.ts';

const { statement, listStatement } = statementsOver<NotesTables>();

/** Tombstones of all vaults by age, then id, behind one of them. */
export const findExpired = statement((db, p: { until: number; deletedAt: number; id: string; limit: number }) =>
  db
    .selectFrom('notes')
    .select(['vault_id', 'id', 'seq', 'deleted_at'])
    .where('deleted_at', 'is not', null)
    .where('deleted_at', '<=', p.until)
    .where((eb) => eb(eb.refTuple('deleted_at', 'id'), '>', eb.tuple(p.deletedAt, p.id)))
    .orderBy('deleted_at')
    .orderBy('id')
    .limit(p.limit),
);

/** Those of some rows that are tombstones still, with their seqs and sizes. */
export const findTombstones = listStatement((db, p: { vault: VaultId }, ids: string[]) =>
  db
    .selectFrom('notes')
    .select(['id', 'seq', 'size_bytes'])
    .where('vault_id', '=', p.vault)
    .where('id', 'in', ids)
    .where('deleted_at', 'is not', null),
);

/** Kept versions of a note, some of them, with their sizes. */
export const findVersionsOf = statement((db, p: { vault: VaultId; id: string; limit: number }) =>
  db
    .selectFrom('note_versions')
    .select(['note_id', 'version', 'size_bytes'])
    .where('vault_id', '=', p.vault)
    .where('note_id', '=', p.id)
    .limit(p.limit),
);

/** Marks ids of notes that are about to be gone as spent. */
export const insertSpentIds = listStatement((db, p: { vault: VaultId }, ids: string[]) =>
  db
    .insertInto('spent_note_ids')
    .values(ids.map((id) => ({ vault_id: p.vault, id })))
    .onConflict((conflict) => conflict.doNothing()),
);

/** Spent ids of a purged vault, some of them. */
export const findSomeSpentIds = statement((db, p: { vault: VaultId; limit: number }) =>
  db.selectFrom('spent_note_ids').select('id').where('vault_id', '=', p.vault).limit(p.limit),
);

export const purgeSpentIds = listStatement((db, p: { vault: VaultId }, ids: string[]) =>
  db.deleteFrom('spent_note_ids').where('vault_id', '=', p.vault).where('id', 'in', ids),
);
