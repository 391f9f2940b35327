import type { SessionId, UserId } from '@notevault/protocol/values/ids.ts';
import { picked, statementsOver } from '../../../ports/database/statement.ts';
import type { AccountsTables, SessionRow } from '../accounts.tables.ts';

const { statement } = statementsOver<AccountsTables>();

export const insertSession = statement((db, p: SessionRow) =>
  db.insertInto('sessions').values({
    ...picked(p, ['id', 'user_id', 'family_hash', 'network_mac', 'client']),
    ...picked(p, ['created_at', 'last_used_at', 'expires_at']),
  }),
);

/** An active session of the user that started in this network. */
export const findKnownNetwork = statement((db, p: { userId: UserId; networkMac: Buffer }) =>
  db
    .selectFrom('sessions')
    .select('id')
    .where('user_id', '=', p.userId)
    .where('network_mac', '=', p.networkMac)
    .limit(1),
);

export const findFamily = statement((db, p: { familyHash: Buffer }) =>
  db
    .selectFrom('sessions as s')
    .innerJoin('users as u', 'u.id', 's.user_id')
    .select(['s.id', 's.user_id', 's.expires_at', 'u.suspended_at'])
    .where('s.family_hash', '=', p.familyHash),
);

/**
 * Extends the session; returns no row when it was revoked. Locks the session's row until the end of the transaction.
 */
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

/** The active sessions of a user, the one used last first. */
export const listSessions = statement((db, p: { userId: UserId; now: number }) =>
  db
    .selectFrom('sessions')
    .select(['id', 'client', 'created_at', 'last_used_at'])
    .where('user_id', '=', p.userId)
    .where('expires_at', '>', p.now)
    .orderBy('last_used_at', 'desc')
    .orderBy('id', 'desc'),
);

export const deleteSessionOf = statement((db, p: { id: SessionId; userId: UserId }) =>
  db.deleteFrom('sessions').where('id', '=', p.id).where('user_id', '=', p.userId),
);

export const deleteSession = statement((db, p: { id: SessionId }) => db.deleteFrom('sessions').where('id', '=', p.id));

export const deleteFamily = statement((db, p: { familyHash: Buffer }) =>
  db.deleteFrom('sessions').where('family_hash', '=', p.familyHash).returning(['id', 'user_id']),
);

export const deleteSessionsOf = statement((db, p: { userId: UserId }) =>
  db.deleteFrom('sessions').where('user_id', '=', p.userId),
);

export const deleteOtherSessions = statement((db, p: { userId: UserId; kept: SessionId }) =>
  db.deleteFrom('sessions').where('user_id', '=', p.userId).where('id', '!=', p.kept),
);

export const deleteExpiredSessions = statement((db, p: { userId: UserId; now: number }) =>
  db.deleteFrom('sessions').where('user_id', '=', p.userId).where('expires_at', '<=', p.now),
);

export const insertRefreshToken = statement((db, p: { sessionId: SessionId; hash: Buffer; sealed: Buffer }) =>
  db
    .insertInto('refresh_tokens')
    .values({ session_id: p.sessionId, hash: p.hash, sealed: p.sealed, replaced_at: null }),
);

/** Changes one row for the first use of the token, and none after that. */
export const replaceRefreshToken = statement((db, p: { sessionId: SessionId; hash: Buffer; now: number }) =>
  db
    .updateTable('refresh_tokens')
    .set({ replaced_at: p.now })
    .where('session_id', '=', p.sessionId)
    .where('hash', '=', p.hash)
    .where('replaced_at', 'is', null),
);

export const findRefreshToken = statement((db, p: { sessionId: SessionId; hash: Buffer }) =>
  db
    .selectFrom('refresh_tokens')
    .select(['replaced_at'])
    .where('session_id', '=', p.sessionId)
    .where('hash', '=', p.hash),
);

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

export const insertAccessToken = statement((db, p: { hash: Buffer; sessionId: SessionId; expiresAt: number }) =>
  db.insertInto('access_tokens').values({ hash: p.hash, session_id: p.sessionId, expires_at: p.expiresAt }),
);

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
    .where('t.hash', '=', p.hash)
    .where('t.expires_at', '>', p.now)
    .where('u.deleting_at', 'is', null),
);

/** An active session, unless the account is suspended. */
export const findSession = statement((db, p: { id: SessionId; userId: UserId; now: number }) =>
  db
    .selectFrom('sessions as s')
    .innerJoin('users as u', 'u.id', 's.user_id')
    .select(['s.id as session_id', 'u.id as user_id', 'u.plan', 'u.role', 'u.display_name'])
    .where('s.id', '=', p.id)
    .where('s.user_id', '=', p.userId)
    .where('s.expires_at', '>', p.now)
    .where('u.suspended_at', 'is', null)
    .where('u.deleting_at', 'is', null),
);
