import type { VaultId } from '@notevault/protocol/ids.ts';
import { statementsOver } from '../../ports/database/statement.ts';
import type { NotesTables } from '../notes/notes.tables.ts';

const { statement } = statementsOver<NotesTables>();

export const countAtRoot = statement((db, p: { vault: VaultId }) =>
  db
    .selectFrom('notes')
    .select((eb) => eb.fn.countAll<number>().as('notes'))
    .where('vault_id', '=', p.vault)
    .where('folder_id', 'is', null)
    .where('deleted_at', 'is', null),
);
