import type { UserId } from '@notevault/protocol/values/ids.ts';
import type { Kysely } from 'kysely';
import { statementsOver } from '../../../ports/database/statement.ts';
import type { AccountsTables } from '../../content/accounts/accounts.tables.ts';
import type { CredentialsTables } from '../credentials/credentials.tables.ts';
import type { ConnectionKey } from '../credentials/credentials.ts';
import type { OAuthTables, OAuthTokenRow } from './oauth.tables.ts';

type Tables = OAuthTables & CredentialsTables & Pick<AccountsTables, 'users'>;

const { statement, table, deletion } = statementsOver<Tables>();
const clients = table('oauth_clients');
const tokens = table('oauth_tokens');
const transients = table('oauth_transients');

// The server's secrets

export const findSecrets = statement((db, _: Record<never, never>) =>
  db.selectFrom('oauth_secrets').select('sealed').where('id', '=', 1),
);

/** Changes no row when another process was first. */
export const insertSecrets = statement((db, p: { sealed: Buffer }) =>
  db
    .insertInto('oauth_secrets')
    .values({ id: 1, sealed: p.sealed })
    .onConflict((conflict) => conflict.column('id').doNothing()),
);

// Clients

export const insertClient = clients.insert('id_hash', 'payload', 'created_at');

export const findClient = clients.find(['id_hash'], ['payload']);

export const deleteClient = clients.delete('id_hash');

export const markClientUsed = statement((db, p: { idHash: Buffer; now: number; before: number }) =>
  db
    .updateTable('oauth_clients')
    .set({ used_at: p.now })
    .where('id_hash', '=', p.idHash)
    .where((eb) => eb.or([eb('used_at', 'is', null), eb('used_at', '<', p.before)])),
);

const unusedClients = (db: Kysely<Tables>) =>
  db.selectFrom('oauth_clients').select('id_hash').where('used_at', 'is', null);

/** Sets times that a clock which was ahead has stored to now: its clients would be the newest until that date. */
export const correctRegistrations = statement((db, p: { now: number; latest: number }) =>
  db
    .updateTable('oauth_clients')
    .set({ created_at: p.now })
    .where('used_at', 'is', null)
    .where('created_at', '>', p.latest),
);

export const correctUses = statement((db, p: { now: number; latest: number }) =>
  db.updateTable('oauth_clients').set({ used_at: p.now }).where('used_at', '>', p.latest),
);

/** Keeps only the newest of the clients that were never authorized. */
export const deleteUnusedBeyond = statement((db, p: { kept: number; limit: number }) => {
  const unused = unusedClients(db).orderBy('created_at', 'desc').limit(p.limit).offset(p.kept);
  return db.deleteFrom('oauth_clients').where('id_hash', 'in', unused);
});

export const deleteUnusedSince = statement((db, p: { until: number; limit: number }) => {
  const unused = unusedClients(db).where('created_at', '<=', p.until).orderBy('created_at').limit(p.limit);
  return db.deleteFrom('oauth_clients').where('id_hash', 'in', unused);
});

export const deleteStaleClients = statement((db, p: { until: number; limit: number }) => {
  const stale = db
    .selectFrom('oauth_clients')
    .select('id_hash')
    .where('used_at', 'is not', null)
    .where('used_at', '<=', p.until)
    .orderBy('used_at')
    .limit(p.limit);
  return db.deleteFrom('oauth_clients').where('id_hash', 'in', stale);
});

// Grants

export const insertGrant = table('oauth_grants').insert(
  'user_id',
  'id',
  'client_hash',
  'family_hash',
  'details',
  'expires_at',
);

export const putGrantPayload = statement((db, p: ConnectionKey & { payload: Buffer }) =>
  db
    .updateTable('oauth_grants')
    .set({ payload: p.payload })
    .where('user_id', '=', p.userId)
    .where('id', '=', p.id)
    .where('details', 'is not', null),
);

/** The provider's payload of a grant that may be used. */
export const findGrant = statement((db, p: ConnectionKey) =>
  db
    .selectFrom('oauth_grants as g')
    .innerJoin('connections as c', (join) => join.onRef('c.user_id', '=', 'g.user_id').onRef('c.id', '=', 'g.id'))
    .innerJoin('users as u', 'u.id', 'g.user_id')
    .select('g.payload')
    .where('g.user_id', '=', p.userId)
    .where('g.id', '=', p.id)
    .where('c.revoked_at', 'is', null)
    .where('u.suspended_at', 'is', null)
    .where('u.deleting_at', 'is', null),
);

const grantIds = (db: Kysely<Tables>) => db.selectFrom('oauth_grants').select(['user_id as userId', 'id']);

/** The grant of a refresh token, if it is not revoked. */
export const findFamily = statement((db, p: { familyHash: Buffer }) =>
  grantIds(db).where('family_hash', '=', p.familyHash).where('details', 'is not', null),
);

export const prolongGrant = statement((db, p: ConnectionKey & { expiresAt: number }) =>
  db
    .updateTable('oauth_grants')
    .set({ expires_at: p.expiresAt })
    .where('user_id', '=', p.userId)
    .where('id', '=', p.id)
    .where('expires_at', '<', p.expiresAt),
);

export const clearGrant = statement((db, p: ConnectionKey) =>
  db
    .updateTable('oauth_grants')
    .set({ details: null, payload: null })
    .where('user_id', '=', p.userId)
    .where('id', '=', p.id),
);

export const listGrants = statement((db, p: { userId: UserId }) =>
  db
    .selectFrom('oauth_grants')
    .select(['id', 'details'])
    .where('user_id', '=', p.userId)
    .where('details', 'is not', null),
);

/** Every grant of the user to a client, including revoked ones. */
export const findGrantsToClient = statement((db, p: { userId: UserId; clientHash: Buffer }) =>
  grantIds(db).where('user_id', '=', p.userId).where('client_hash', '=', p.clientHash),
);

export const findExpiredGrants = statement((db, p: { until: number; limit: number }) =>
  grantIds(db).where('details', 'is not', null).where('expires_at', '<=', p.until).orderBy('expires_at').limit(p.limit),
);

// Tokens

export const insertToken = tokens.insert('hash', 'kind', 'user_id', 'grant_id', 'scope', 'payload', 'expires_at');

/** A token whose grant may be used. */
export const findToken = statement((db, p: { hash: Buffer; kind: OAuthTokenRow['kind']; now: number }) =>
  db
    .selectFrom('oauth_tokens as t')
    .innerJoin('connections as c', (join) => join.onRef('c.user_id', '=', 't.user_id').onRef('c.id', '=', 't.grant_id'))
    .innerJoin('users as u', 'u.id', 't.user_id')
    .select(['t.user_id as userId', 't.grant_id as id', 't.payload', 't.consumed_at', 't.expires_at'])
    .where('t.hash', '=', p.hash)
    .where('t.kind', '=', p.kind)
    .where('t.expires_at', '>', p.now)
    .where('c.revoked_at', 'is', null)
    .where('u.suspended_at', 'is', null)
    .where('u.deleting_at', 'is', null),
);

/** Changes one row for the first use of the token, and none after that. */
export const consumeToken = statement((db, p: { hash: Buffer; now: number }) =>
  db
    .updateTable('oauth_tokens')
    .set({ consumed_at: p.now })
    .where('hash', '=', p.hash)
    .where('consumed_at', 'is', null)
    .returning(['user_id as userId', 'grant_id as id']),
);

/** The grant of a token, in any state. */
export const findTokenGrant = statement((db, p: { hash: Buffer }) =>
  db.selectFrom('oauth_tokens').select(['user_id as userId', 'grant_id as id']).where('hash', '=', p.hash),
);

export const deleteToken = tokens.delete('hash');

/** Deletes refresh tokens whose grace period is over; they still identify their family. */
export const deleteConsumed = statement((db, p: ConnectionKey & { before: number }) =>
  db
    .deleteFrom('oauth_tokens')
    .where('user_id', '=', p.userId)
    .where('grant_id', '=', p.id)
    .where('kind', '=', 'refresh')
    .where('consumed_at', '<', p.before),
);

export const deleteExpiredAccess = statement((db, p: ConnectionKey & { until: number }) =>
  db
    .deleteFrom('oauth_tokens')
    .where('user_id', '=', p.userId)
    .where('grant_id', '=', p.id)
    .where('kind', '=', 'access')
    .where('expires_at', '<=', p.until),
);

export const deleteTokensOf = tokens.delete('user_id', 'grant_id');

export const deleteExpiredTokens = deletion('oauth_tokens', 'hash', 'expires_at');

/** The connection of an access token, if it may be used: a row for each vault with its own level, at least one row. */
export const findAccess = statement((db, p: { hash: Buffer; now: number }) =>
  db
    .selectFrom('oauth_tokens as t')
    .innerJoin('connections as c', (join) => join.onRef('c.user_id', '=', 't.user_id').onRef('c.id', '=', 't.grant_id'))
    .innerJoin('users as u', 'u.id', 't.user_id')
    .leftJoin('connection_permissions as l', (join) =>
      join.onRef('l.user_id', '=', 'c.user_id').onRef('l.connection_id', '=', 'c.id'),
    )
    .select(['c.user_id', 'c.id', 'c.kind', 'c.name', 'c.default_permission', 't.scope', 'c.last_used_at'])
    .select(['l.vault_id', 'l.permission', 'u.plan as tier', 'u.display_name', 'u.suspended_at', 'u.rights_version'])
    .where('t.hash', '=', p.hash)
    .where('t.kind', '=', 'access')
    .where('t.expires_at', '>', p.now)
    .where('c.revoked_at', 'is', null)
    .where('u.deleting_at', 'is', null),
);

// Authorization requests that wait for a person

export const putTransient = transients.put(['hash'], ['payload', 'expires_at']);

export const findTransient = statement((db, p: { hash: Buffer; now: number }) =>
  db
    .selectFrom('oauth_transients')
    .select(['payload', 'expires_at'])
    .where('hash', '=', p.hash)
    .where('expires_at', '>', p.now),
);

/** Changes one row for the first decision, and none after that. */
export const decideTransient = statement((db, p: { hash: Buffer; now: number }) =>
  db
    .updateTable('oauth_transients')
    .set({ decided_at: p.now })
    .where('hash', '=', p.hash)
    .where('decided_at', 'is', null)
    .where('expires_at', '>', p.now),
);

export const deleteTransient = transients.delete('hash');

export const deleteExpiredTransients = deletion('oauth_transients', 'hash', 'expires_at');
