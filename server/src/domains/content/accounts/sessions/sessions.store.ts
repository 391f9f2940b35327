import type { SessionId, UserId } from '@notevault/protocol/values/ids.ts';
import { statementsOver } from '../../../../ports/database/statement.ts';
import type { AccountsTables } from '../accounts.tables.ts';

const { statement, table } = statementsOver<AccountsTables>();
const sessions = table('sessions');
const refreshTokens = table('refresh_tokens');

export const insertSession = sessions.insert(
  ...(['id', 'user_id', 'family_hash', 'client'] as const),
  ...(['created_at', 'last_used_at', 'expires_at', 'proved_at', 'method'] as const),
);

/** A network from which the user signed in since then. */
export const findKnownNetwork = statement((db, p: { userId: UserId; networkMac: Buffer; since: number }) =>
  db
    .selectFrom('sign_in_networks')
    .select('last_at')
    .where('user_id', '=', p.userId)
    .where('network_mac', '=', p.networkMac)
    .where('last_at', '>', p.since),
);

export const putNetwork = table('sign_in_networks').put(['user_id', 'network_mac'], ['last_at']);

export const deleteOldNetworks = statement((db, p: { until: number }) =>
  db.deleteFrom('sign_in_networks').where('last_at', '<=', p.until),
);

export const findFamily = statement((db, p: { familyHash: Buffer }) =>
  db
    .selectFrom('sessions as s')
    .innerJoin('users as u', 'u.id', 's.user_id')
    .select(['s.id', 's.user_id', 's.expires_at', 'u.suspended_at'])
    .where('s.family_hash', '=', p.familyHash),
);

/** Returns no row when the session was revoked. Locks its row until the end of the transaction. */
export const prolongSession = statement(
  (db, p: { id: SessionId; client: Buffer | null; now: number; expiresAt: number }) =>
    db
      .updateTable('sessions')
      .set((eb) => ({
        expires_at: p.expiresAt,
        last_used_at: p.now,
        client: eb.fn.coalesce(eb.val(p.client), eb.ref('client')),
      }))
      .where('id', '=', p.id)
      .returning('id'),
);

export const listSessions = statement((db, p: { userId: UserId; now: number }) =>
  db
    .selectFrom('sessions')
    .select(['id', 'client', 'created_at', 'last_used_at', 'method'])
    .where('user_id', '=', p.userId)
    .where('expires_at', '>', p.now)
    .orderBy('last_used_at', 'desc')
    .orderBy('id', 'desc'),
);

export const deleteSessionOf = sessions.delete('id', 'user_id');

export const deleteSession = sessions.delete('id');

export const deleteFamily = statement((db, p: { familyHash: Buffer }) =>
  db.deleteFrom('sessions').where('family_hash', '=', p.familyHash).returning(['id', 'user_id']),
);

export const deleteSessionsOf = sessions.delete('user_id');

export const deleteOtherSessions = statement((db, p: { userId: UserId; kept: SessionId }) =>
  db.deleteFrom('sessions').where('user_id', '=', p.userId).where('id', '!=', p.kept),
);

export const deleteExpiredSessions = statement((db, p: { userId: UserId; now: number }) =>
  db.deleteFrom('sessions').where('user_id', '=', p.userId).where('expires_at', '<=', p.now),
);

export const insertRefreshToken = refreshTokens.insert('session_id', 'hash', 'sealed');

/** Changes one row for the first use of the token, and none after that. */
export const replaceRefreshToken = statement((db, p: { sessionId: SessionId; hash: Buffer; now: number }) =>
  db
    .updateTable('refresh_tokens')
    .set({ replaced_at: p.now })
    .where('session_id', '=', p.sessionId)
    .where('hash', '=', p.hash)
    .where('replaced_at', 'is', null),
);

export const findRefreshToken = refreshTokens.find(['session_id', 'hash'], ['replaced_at']);

export const findCurrentRefreshToken = statement((db, p: { sessionId: SessionId }) =>
  db
    .selectFrom('refresh_tokens')
    .select('sealed')
    .where('session_id', '=', p.sessionId)
    .where('replaced_at', 'is', null),
);

export const deleteReplacedTokens = statement((db, p: { sessionId: SessionId; before: number }) =>
  db.deleteFrom('refresh_tokens').where('session_id', '=', p.sessionId).where('replaced_at', '<', p.before),
);

export const insertAccessToken = table('access_tokens').insert('hash', 'session_id', 'expires_at');

export const deleteExpiredAccessTokens = statement((db, p: { sessionId: SessionId; now: number }) =>
  db.deleteFrom('access_tokens').where('session_id', '=', p.sessionId).where('expires_at', '<=', p.now),
);

/** The session and user of an access token, also of a suspended account. */
export const findAccess = statement((db, p: { hash: Buffer; now: number }) =>
  db
    .selectFrom('access_tokens as t')
    .innerJoin('sessions as s', 's.id', 't.session_id')
    .innerJoin('users as u', 'u.id', 's.user_id')
    .select(['s.id as session_id', 'u.id as user_id', 'u.plan', 'u.role', 'u.display_name', 'u.suspended_at'])
    .select('u.rights_version')
    .where('t.hash', '=', p.hash)
    .where('t.expires_at', '>', p.now)
    .where('u.deleting_at', 'is', null),
);

export const findSession = statement((db, p: { id: SessionId; userId: UserId; now: number }) =>
  db
    .selectFrom('sessions as s')
    .innerJoin('users as u', 'u.id', 's.user_id')
    .select(['s.id as session_id', 'u.id as user_id', 'u.plan', 'u.role', 'u.display_name', 'u.rights_version'])
    .where('s.id', '=', p.id)
    .where('s.user_id', '=', p.userId)
    .where('s.expires_at', '>', p.now)
    .where('u.suspended_at', 'is', null)
    .where('u.deleting_at', 'is', null),
);
