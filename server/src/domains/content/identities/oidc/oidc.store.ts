import type { UserId } from '@notevault/protocol/values/ids.ts';
import { statementsOver } from '../../../../ports/database/statement.ts';
import type { OidcTables } from './oidc.tables.ts';

const { statement, table } = statementsOver<OidcTables>();
const identities = table('oidc_identities');

/** Changes no row if the identity belongs to an account already. */
export const insertIdentity = statement(
  (db, p: { id: string; userId: UserId; identityMac: Buffer; details: Buffer; now: number }) =>
    db
      .insertInto('oidc_identities')
      .values({
        id: p.id,
        user_id: p.userId,
        identity_mac: p.identityMac,
        details: p.details,
        created_at: p.now,
        last_used_at: p.now,
      })
      .onConflict((conflict) => conflict.column('identity_mac').doNothing()),
);

/** Any identity of an account. */
export const findIdentityOf = statement((db, p: { userId: UserId }) =>
  db.selectFrom('oidc_identities').select('id').where('user_id', '=', p.userId).limit(1),
);

export const listIdentities = statement((db, p: { userId: UserId }) =>
  db.selectFrom('oidc_identities').selectAll().where('user_id', '=', p.userId).orderBy('id'),
);

export const findIdentity = statement((db, p: { identityMac: Buffer }) =>
  db.selectFrom('oidc_identities').select(['id', 'user_id as person']).where('identity_mac', '=', p.identityMac),
);

/** Changes no row once the identity is no longer the account's. */
export const useIdentity = statement((db, p: { id: string; userId: UserId; details: Buffer; now: number }) =>
  db
    .updateTable('oidc_identities')
    .set({ details: p.details, last_used_at: p.now })
    .where('id', '=', p.id)
    .where('user_id', '=', p.userId),
);

export const deleteIdentity = identities.delete('id', 'user_id');
