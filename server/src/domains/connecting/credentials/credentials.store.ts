import type { UserId, VaultId } from '@notevault/protocol/values/ids.ts';
import type { Kysely } from 'kysely';
import { statementsOver } from '../../../ports/database/statement.ts';
import type { AccountsTables } from '../../content/accounts/accounts.tables.ts';
import type { ConnectionKind, CredentialsTables } from './credentials.tables.ts';

type Tables = CredentialsTables & Pick<AccountsTables, 'users'>;

const { statement, listStatement, table } = statementsOver<Tables>();
const connections = table('connections');
const permissions = table('connection_permissions');

// The connection of a credential

/** Connections that are not revoked, also of suspended accounts: one row for each vault with its own level, at least one row. */
function credentialQuery(db: Kysely<Tables>) {
  return db
    .selectFrom('connections as c')
    .innerJoin('users as u', 'u.id', 'c.user_id')
    .leftJoin('connection_permissions as l', (join) =>
      join.onRef('l.user_id', '=', 'c.user_id').onRef('l.connection_id', '=', 'c.id'),
    )
    .select(['c.user_id', 'c.id', 'c.kind', 'c.name', 'c.default_permission', 'c.scope', 'c.last_used_at'])
    .select(['l.vault_id', 'l.permission', 'u.plan as tier', 'u.display_name', 'u.suspended_at', 'u.rights_version'])
    .where('c.revoked_at', 'is', null)
    .where('u.deleting_at', 'is', null);
}

export const findBySecret = statement((db, p: { hash: Buffer }) =>
  credentialQuery(db).where('c.secret_hash', '=', p.hash),
);

export const findUsable = statement((db, p: { userId: UserId; id: string }) =>
  credentialQuery(db).where('c.user_id', '=', p.userId).where('c.id', '=', p.id),
);

/** Stores the latest minute, and the address of the first use only. */
export const updateLastUsed = statement(
  (db, p: { userId: UserId; id: string; at: number; latest: number; ip: string | null; userAgent: string | null }) =>
    db
      .updateTable('connections')
      .set((eb) => ({
        last_used_at: p.at,
        first_ip: eb.case().when('last_used_at', 'is', null).then(p.ip).else(eb.ref('first_ip')).end(),
        first_user_agent: eb
          .case()
          .when('last_used_at', 'is', null)
          .then(p.userAgent)
          .else(eb.ref('first_user_agent'))
          .end(),
      }))
      .where('user_id', '=', p.userId)
      .where('id', '=', p.id)
      .where((eb) =>
        eb.or([eb('last_used_at', 'is', null), eb('last_used_at', '<', p.at), eb('last_used_at', '>', p.latest)]),
      ),
);

// Creating and listing

export const insertConnection = connections.insert(
  ...(['user_id', 'id', 'kind', 'name', 'default_permission', 'scope'] as const),
  ...(['secret_hash', 'created_at'] as const),
);

export const insertPermissions = permissions.insertMany(['user_id', 'connection_id'], ['vault_id', 'permission']);

export const deletePermissions = permissions.delete('user_id', 'connection_id');

export const deletePermissionsFor = statement((db, p: { userId: UserId; vaultId: VaultId }) =>
  db
    .deleteFrom('connection_permissions')
    .where('user_id', '=', p.userId)
    .where('vault_id', '=', p.vaultId)
    .returning('connection_id'),
);

/** Selects those of some connections that can access no vault, now or later. */
export const findUnreaching = listStatement((db, p: { userId: UserId }, ids: string[]) =>
  db
    .selectFrom('connections as c')
    .select(['c.id', 'c.kind'])
    .where('c.user_id', '=', p.userId)
    .where('c.id', 'in', ids)
    .where('c.default_permission', '=', 'none')
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('connection_permissions as l')
            .select('l.vault_id')
            .whereRef('l.user_id', '=', 'c.user_id')
            .whereRef('l.connection_id', '=', 'c.id')
            .where('l.permission', '!=', 'none'),
        ),
      ),
    ),
);

export const countOfKind = statement((db, p: { userId: UserId; kind: ConnectionKind }) =>
  db
    .selectFrom('connections')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('user_id', '=', p.userId)
    .where('kind', '=', p.kind)
    .where('revoked_at', 'is', null),
);

export const listConnections = statement((db, p: { userId: UserId }) =>
  db
    .selectFrom('connections')
    .select([
      'id',
      'kind',
      'name',
      'default_permission',
      'scope',
      'created_at',
      'last_used_at',
      'first_ip',
      'first_user_agent',
    ])
    .where('user_id', '=', p.userId)
    .where('revoked_at', 'is', null)
    .orderBy('id'),
);

/** The levels that connections of the user have for single vaults, also for deleted ones. */
export const listPermissions = permissions.find(['user_id'], ['connection_id', 'vault_id', 'permission']);

export const deleteConnection = connections.delete('user_id', 'id', 'kind');

/** Deletes everything but its existence. Changes one row for the first revocation, and none after that. */
export const markRevoked = statement((db, p: { userId: UserId; id: string; kind: ConnectionKind; now: number }) =>
  db
    .updateTable('connections')
    .set({ revoked_at: p.now, name: null, first_ip: null, first_user_agent: null })
    .where('user_id', '=', p.userId)
    .where('id', '=', p.id)
    .where('kind', '=', p.kind)
    .where('revoked_at', 'is', null),
);

/** Revoked or not. */
export const findAnyConnection = connections.find(['user_id', 'id', 'kind'], ['id', 'revoked_at']);
