import type { UserId, VaultId } from '@notevault/protocol/values/ids.ts';
import { statementsOver } from '../../ports/database/statement.ts';
import type { PersonalTables } from './personal.tables.ts';

const { statement } = statementsOver<PersonalTables>();

export const findPreferences = statement((db, p: { userId: UserId }) =>
  db.selectFrom('preferences').select(['data', 'version']).where('user_id', '=', p.userId),
);

export const putPreferences = statement((db, p: { userId: UserId; data: Buffer; version: number }) =>
  db
    .insertInto('preferences')
    .values({ user_id: p.userId, data: p.data, version: p.version })
    .onConflict((conflict) => conflict.column('user_id').doUpdateSet({ data: p.data, version: p.version })),
);

export const findOpened = statement((db, p: { userId: UserId; vaultId: VaultId }) =>
  db
    .selectFrom('opened_notes')
    .select(['data', 'version'])
    .where('user_id', '=', p.userId)
    .where('vault_id', '=', p.vaultId),
);

export const deleteOpened = statement((db, p: { userId: UserId; vaultId: VaultId }) =>
  db.deleteFrom('opened_notes').where('user_id', '=', p.userId).where('vault_id', '=', p.vaultId),
);

export const putOpened = statement((db, p: { userId: UserId; vaultId: VaultId; data: Buffer; version: number }) =>
  db
    .insertInto('opened_notes')
    .values({ user_id: p.userId, vault_id: p.vaultId, data: p.data, version: p.version })
    .onConflict((conflict) =>
      conflict.columns(['user_id', 'vault_id']).doUpdateSet({ data: p.data, version: p.version }),
    ),
);
