import type { VaultId } from '@notevault/protocol/ids.ts';
import { statementsOver } from '../../ports/database/statement.ts';
import { row } from './notes.store.ts';
import type { NotesTables } from './notes.tables.ts';

const { statement, listStatement } = statementsOver<NotesTables>();

/** Notes and tombstones written after a seq, in the order of their seqs, without content. */
export const findChangedAfter = statement((db, p: { vault: VaultId; after: number; limit: number }) =>
  db
    .selectFrom('notes')
    .select(row)
    .where('vault_id', '=', p.vault)
    .where('seq', '>', p.after)
    .orderBy('seq')
    .limit(p.limit),
);

/** Where live notes stand after a seq, in the order of their seqs. */
export const findLiveSeqs = statement((db, p: { vault: VaultId; after: number; limit: number }) =>
  db
    .selectFrom('notes')
    .select(['seq'])
    .where('vault_id', '=', p.vault)
    .where('seq', '>', p.after)
    .where('deleted_at', 'is', null)
    .orderBy('seq')
    .limit(p.limit),
);

/** The live notes at some seqs. */
export const findLiveAt = listStatement((db, p: { vault: VaultId }, seqs: number[]) =>
  db
    .selectFrom('notes')
    .select(row)
    .where('vault_id', '=', p.vault)
    .where('seq', 'in', seqs)
    .where('deleted_at', 'is', null),
);

export const findContents = listStatement((db, p: { vault: VaultId }, ids: string[]) =>
  db
    .selectFrom('note_bodies')
    .select(['note_id', 'content'])
    .where('vault_id', '=', p.vault)
    .where('note_id', 'in', ids),
);
