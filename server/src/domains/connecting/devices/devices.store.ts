import type { UserId, VaultId } from '@notevault/protocol/values/ids.ts';
import { statementsOver } from '../../../ports/database/statement.ts';
import type { AccountsTables } from '../../content/accounts/accounts.tables.ts';
import type { CredentialsTables } from '../credentials/credentials.tables.ts';
import type { ConnectionKey } from '../credentials/credentials.ts';
import type { DeviceTables } from './devices.tables.ts';

const { statement, table, deletion } = statementsOver<
  DeviceTables & CredentialsTables & Pick<AccountsTables, 'users'>
>();
const links = table('device_authorizations');
const families = table('device_families');

// Pending links

/** Changes no row when the user code is in use. */
export const insertLink = statement(
  (
    db,
    p: { id: string; deviceHash: Buffer; codeBlind: Buffer; names: Buffer; pollSeconds: number; expiresAt: number },
  ) =>
    db
      .insertInto('device_authorizations')
      .values({
        id: p.id,
        device_hash: p.deviceHash,
        user_code_blind: p.codeBlind,
        names: p.names,
        poll_seconds: p.pollSeconds,
        polled_at: null,
        user_id: null,
        vault_id: null,
        state: 'pending',
        expires_at: p.expiresAt,
      })
      .onConflict((conflict) => conflict.column('user_code_blind').doNothing()),
);

/** Claims the pending link of a code for this user; no row when it belongs to another user. */
export const claimLink = statement((db, p: { codeBlind: Buffer; userId: UserId; now: number }) =>
  db
    .updateTable('device_authorizations')
    .set({ user_id: p.userId })
    .where('user_code_blind', '=', p.codeBlind)
    .where('state', '=', 'pending')
    .where('expires_at', '>', p.now)
    .where((eb) => eb.or([eb('user_id', 'is', null), eb('user_id', '=', p.userId)]))
    .returning(['id', 'names']),
);

/** A link that the user has claimed, in any state. */
export const findOwnLink = links.find(['user_code_blind', 'user_id'], ['id']);

/** Changes one row for the first decision on a link, and none after that. */
export const decideLink = statement(
  (db, p: { id: string; userId: UserId; state: 'approved' | 'denied'; vaultId: VaultId | null; now: number }) =>
    db
      .updateTable('device_authorizations')
      .set({ state: p.state, vault_id: p.vaultId })
      .where('id', '=', p.id)
      .where('user_id', '=', p.userId)
      .where('state', '=', 'pending')
      .where('expires_at', '>', p.now),
);

/** Locks the link of a device code until the end of the transaction. */
export const lockLink = statement((db, p: { deviceHash: Buffer; now: number }) =>
  db
    .updateTable('device_authorizations')
    .set((eb) => ({ expires_at: eb.ref('expires_at') }))
    .where('device_hash', '=', p.deviceHash)
    .where('expires_at', '>', p.now)
    .returning(['id', 'names', 'poll_seconds', 'polled_at', 'user_id', 'vault_id', 'state']),
);

export const notePoll = statement((db, p: { id: string; now: number; pollSeconds: number }) =>
  db.updateTable('device_authorizations').set({ polled_at: p.now, poll_seconds: p.pollSeconds }).where('id', '=', p.id),
);

export const deleteLink = links.delete('id');

/** Deletes approved links to a vault that no device has fetched yet. */
export const deleteLinksTo = links.delete('user_id', 'vault_id');

/** Deletes the links of a user in a state; once a device has fetched its tokens, its link is gone. */
export const deleteLinksIn = links.delete('user_id', 'state');

export const deleteExpiredLinks = deletion('device_authorizations', 'id', 'expires_at');

// Wrong codes

export const countAttempts = statement((db, p: { userId: UserId; after: number; latest: number; limit: number }) =>
  db
    .selectFrom('device_attempts')
    .select('id')
    .where('user_id', '=', p.userId)
    .where('attempted_at', '>', p.after)
    .where('attempted_at', '<=', p.latest)
    .limit(p.limit),
);

export const insertAttempt = table('device_attempts').insert('user_id', 'id', 'attempted_at');

export const deleteOldAttempts = statement((db, p: { userId: UserId; until: number }) =>
  db.deleteFrom('device_attempts').where('user_id', '=', p.userId).where('attempted_at', '<=', p.until),
);

// Authorized devices

export const insertFamily = families.insert('user_id', 'id', 'family_hash', 'software', 'expires_at');

/** The device of a refresh token and its vault, unless it has ended. */
export const findFamily = statement((db, p: { familyHash: Buffer; now: number }) =>
  db
    .selectFrom('device_families as f')
    .innerJoin('connections as c', (join) => join.onRef('c.user_id', '=', 'f.user_id').onRef('c.id', '=', 'f.id'))
    .innerJoin('users as u', 'u.id', 'f.user_id')
    .leftJoin('connection_permissions as l', (join) =>
      join.onRef('l.user_id', '=', 'c.user_id').onRef('l.connection_id', '=', 'c.id'),
    )
    .select(['f.id', 'f.user_id as userId', 'l.vault_id', 'u.suspended_at'])
    .where('f.family_hash', '=', p.familyHash)
    .where('f.expires_at', '>', p.now)
    .where('c.revoked_at', 'is', null)
    .where('u.deleting_at', 'is', null),
);

/** Locks the family until the end of the transaction. */
export const prolongFamily = statement((db, p: ConnectionKey & { expiresAt: number }) =>
  db
    .updateTable('device_families')
    .set({ expires_at: p.expiresAt })
    .where('user_id', '=', p.userId)
    .where('id', '=', p.id)
    .returning('id'),
);

export const listFamilies = families.find(['user_id'], ['id', 'software']);

export const findExpiredFamilies = statement((db, p: { until: number; limit: number }) =>
  db
    .selectFrom('device_families')
    .select(['user_id as userId', 'id'])
    .where('expires_at', '<=', p.until)
    .orderBy('expires_at')
    .limit(p.limit),
);

export const deleteFamily = statement((db, p: ConnectionKey) =>
  db.deleteFrom('device_families').where('user_id', '=', p.userId).where('id', '=', p.id),
);

// Tokens of devices

export const insertRefresh = statement((db, p: ConnectionKey & { hash: Buffer; sealed: Buffer }) =>
  db
    .insertInto('device_refresh_tokens')
    .values({ user_id: p.userId, family_id: p.id, hash: p.hash, sealed: p.sealed, replaced_at: null }),
);

/** Changes one row for the first use of the token, and none after that. */
export const replaceRefresh = statement((db, p: ConnectionKey & { hash: Buffer; now: number }) =>
  db
    .updateTable('device_refresh_tokens')
    .set({ replaced_at: p.now })
    .where('user_id', '=', p.userId)
    .where('family_id', '=', p.id)
    .where('hash', '=', p.hash)
    .where('replaced_at', 'is', null),
);

export const findRefresh = statement((db, p: ConnectionKey & { hash: Buffer }) =>
  db
    .selectFrom('device_refresh_tokens')
    .select('replaced_at')
    .where('user_id', '=', p.userId)
    .where('family_id', '=', p.id)
    .where('hash', '=', p.hash),
);

export const findCurrentRefresh = statement((db, p: ConnectionKey) =>
  db
    .selectFrom('device_refresh_tokens')
    .select('sealed')
    .where('user_id', '=', p.userId)
    .where('family_id', '=', p.id)
    .where('replaced_at', 'is', null),
);

export const deleteReplacedRefresh = statement((db, p: ConnectionKey & { before: number }) =>
  db
    .deleteFrom('device_refresh_tokens')
    .where('user_id', '=', p.userId)
    .where('family_id', '=', p.id)
    .where('replaced_at', '<', p.before),
);

export const insertAccess = statement((db, p: ConnectionKey & { hash: Buffer; expiresAt: number }) =>
  db
    .insertInto('device_access_tokens')
    .values({ hash: p.hash, user_id: p.userId, family_id: p.id, expires_at: p.expiresAt }),
);

export const deleteExpiredAccess = statement((db, p: ConnectionKey & { now: number }) =>
  db
    .deleteFrom('device_access_tokens')
    .where('user_id', '=', p.userId)
    .where('family_id', '=', p.id)
    .where('expires_at', '<=', p.now),
);

/** The connection of an access token, if it may be used: a row for each vault with its own level, at least one row. */
export const findAccess = statement((db, p: { hash: Buffer; now: number }) =>
  db
    .selectFrom('device_access_tokens as t')
    .innerJoin('connections as c', (join) =>
      join.onRef('c.user_id', '=', 't.user_id').onRef('c.id', '=', 't.family_id'),
    )
    .innerJoin('users as u', 'u.id', 't.user_id')
    .leftJoin('connection_permissions as l', (join) =>
      join.onRef('l.user_id', '=', 'c.user_id').onRef('l.connection_id', '=', 'c.id'),
    )
    .select(['c.user_id', 'c.id', 'c.kind', 'c.name', 'c.default_permission', 'c.scope', 'c.last_used_at'])
    .select(['l.vault_id', 'l.permission', 'u.plan as tier', 'u.display_name', 'u.suspended_at', 'u.rights_version'])
    .where('t.hash', '=', p.hash)
    .where('t.expires_at', '>', p.now)
    .where('c.revoked_at', 'is', null)
    .where('u.deleting_at', 'is', null),
);
