import type { UserId } from '@notevault/protocol/values/ids.ts';
import type { Kysely } from 'kysely';
import { picked, statementsOver } from '../../../ports/database/statement.ts';
import type { AccountsTables, Role, UserRow } from './accounts.tables.ts';

const { statement, table } = statementsOver<AccountsTables>();

// Users

/** Changes no row when the e-mail is in use. */
export const insertUser = statement(
  (db, p: Pick<UserRow, 'id' | 'email' | 'password_hash' | 'display_name' | 'role' | 'plan' | 'created_at'>) =>
    db
      .insertInto('users')
      .values({
        ...picked(p, ['id', 'email', 'password_hash', 'display_name', 'role', 'plan', 'created_at']),
        locale: null,
        analytics_opt_out: 0,
        suspended_at: null,
        deleting_at: null,
        rights_version: 0,
        email_confirmed_at: null,
      })
      .onConflict((conflict) => conflict.column('email').doNothing()),
);

/** Changes one row for the very first account, and none after that. */
export const claimFirstAccount = statement((db, p: { now: number }) =>
  db
    .insertInto('first_account')
    .values({ id: 1, claimed_at: p.now })
    .onConflict((conflict) => conflict.column('id').doNothing()),
);

export const findFirstAccount = statement((db, _: Record<never, never>) =>
  db.selectFrom('first_account').select('claimed_at'),
);

/** Locks all admins until the end of the transaction. */
export const lockAdmins = statement((db, _: Record<never, never>) =>
  db
    .updateTable('first_account')
    .set((eb) => ({ claimed_at: eb.ref('claimed_at') }))
    .returning('id'),
);

export const findOtherAdmin = statement((db, p: { id: UserId }) =>
  db
    .selectFrom('users')
    .select('id')
    .where('role', '=', 'admin')
    .where('id', '!=', p.id)
    .where('suspended_at', 'is', null)
    .where('deleting_at', 'is', null)
    .limit(1),
);

/** Locks the user's row until the end of the transaction, without blocking rows that reference it. */
const lockedUser = (db: Kysely<AccountsTables>, id: UserId) =>
  db
    .updateTable('users')
    .set((eb) => ({ created_at: eb.ref('created_at') }))
    .where('id', '=', id)
    .where('deleting_at', 'is', null);

/** Returns no row once the user's erasure has begun, like lockAccount. */
export const lockUser = statement((db, p: { id: UserId }) =>
  lockedUser(db, p.id).returning(['id', 'plan', 'password_hash', 'suspended_at']),
);

export const findUser = statement((db, p: { id: UserId }) =>
  db.selectFrom('users').selectAll().where('id', '=', p.id).where('deleting_at', 'is', null),
);

export const findUserByEmail = statement((db, p: { email: string }) =>
  db.selectFrom('users').selectAll().where('email', '=', p.email).where('deleting_at', 'is', null),
);

export const findSomeUsers = statement((db, p: { limit: number }) =>
  db.selectFrom('users').selectAll().where('deleting_at', 'is', null).orderBy('id').limit(p.limit),
);

export const updateProfile = statement(
  (db, p: { id: UserId; displayName: string | null; locale: string | null; analyticsOptOut: number }) =>
    db
      .updateTable('users')
      .set({ display_name: p.displayName, locale: p.locale, analytics_opt_out: p.analyticsOptOut })
      .where('id', '=', p.id)
      .where('deleting_at', 'is', null)
      .returningAll(),
);

export const updatePassword = statement((db, p: { id: UserId; passwordHash: string }) =>
  db.updateTable('users').set({ password_hash: p.passwordHash }).where('id', '=', p.id),
);

export const updatePlan = statement((db, p: { email: string; plan: string }) =>
  db
    .updateTable('users')
    .set({ plan: p.plan })
    .where('email', '=', p.email)
    .where('deleting_at', 'is', null)
    .returningAll(),
);

export const lockAccount = statement((db, p: { id: UserId }) => lockedUser(db, p.id).returningAll());

export const updateAccount = statement((db, p: { id: UserId; plan: string; role: Role; suspendedAt: number | null }) =>
  db
    .updateTable('users')
    .set({ plan: p.plan, role: p.role, suspended_at: p.suspendedAt })
    .where('id', '=', p.id)
    .returningAll(),
);

/** A page of accounts by id, which is the order of their creation. */
export const findUsersAfter = statement((db, p: { after: UserId; limit: number }) =>
  db
    .selectFrom('users')
    .selectAll()
    .where('deleting_at', 'is', null)
    .where('id', '>', p.after)
    .orderBy('id')
    .limit(p.limit),
);

/** Counts the active sessions of each account in a page; accounts without any are left out. */
export const countSessionsOf = statement((db, p: { first: UserId; last: UserId; now: number }) =>
  db
    .selectFrom('sessions')
    .select((eb) => ['user_id as userId', eb.fn.countAll<number>().as('sessions')])
    .where('user_id', '>=', p.first)
    .where('user_id', '<=', p.last)
    .where('expires_at', '>', p.now)
    .groupBy('user_id'),
);

export const countUsers = statement((db, _: Record<never, never>) =>
  db
    .selectFrom('users')
    .select((eb) => [eb.fn.countAll<number>().as('users'), eb.fn.count<number>('suspended_at').as('suspended')])
    .where('deleting_at', 'is', null),
);

export const countSessions = statement((db, p: { now: number }) =>
  db
    .selectFrom('sessions')
    .select((eb) => eb.fn.countAll<number>().as('sessions'))
    .where('expires_at', '>', p.now),
);

export const markDeleting = statement((db, p: { id: UserId; now: number }) =>
  db.updateTable('users').set({ deleting_at: p.now }).where('id', '=', p.id).where('deleting_at', 'is', null),
);

export const findDeleting = statement((db, p: { after: UserId; limit: number }) =>
  db
    .selectFrom('users')
    .select('id')
    .where('deleting_at', 'is not', null)
    .where('id', '>', p.after)
    .orderBy('id')
    .limit(p.limit),
);

export const deleteUser = table('users').delete('id');

// Invites and resets

export const insertInvite = table('invites').insert('id', 'hash', 'email', 'created_at', 'expires_at');

/** The invites that can be used, the latest first. */
export const listInvites = statement((db, p: { now: number; limit: number }) =>
  db
    .selectFrom('invites')
    .select(['id', 'email', 'created_at', 'expires_at'])
    .where('expires_at', '>', p.now)
    .orderBy('id', 'desc')
    .limit(p.limit),
);

export const deleteInvite = statement((db, p: { id: string; now: number }) =>
  db.deleteFrom('invites').where('id', '=', p.id).where('expires_at', '>', p.now),
);

export const findInvite = statement((db, p: { hash: Buffer; email: string; now: number }) =>
  db
    .selectFrom('invites')
    .select('expires_at')
    .where('hash', '=', p.hash)
    .where('expires_at', '>', p.now)
    .where((eb) => eb.or([eb('email', 'is', null), eb('email', '=', p.email)])),
);

/** Changes one row for the first use, and none after that. */
export const useInvite = statement((db, p: { hash: Buffer; email: string; now: number }) =>
  db
    .deleteFrom('invites')
    .where('hash', '=', p.hash)
    .where('expires_at', '>', p.now)
    .where((eb) => eb.or([eb('email', 'is', null), eb('email', '=', p.email)])),
);

export const deleteExpiredInvites = statement((db, p: { now: number }) =>
  db.deleteFrom('invites').where('expires_at', '<=', p.now),
);

export const putReset = table('password_resets').put(['user_id'], ['hash', 'expires_at']);

export const findReset = statement((db, p: { hash: Buffer; now: number }) =>
  db.selectFrom('password_resets').select('user_id').where('hash', '=', p.hash).where('expires_at', '>', p.now),
);

/** The account of a reset token, for its first use only. */
export const useReset = statement((db, p: { hash: Buffer; now: number }) =>
  db.deleteFrom('password_resets').where('hash', '=', p.hash).where('expires_at', '>', p.now).returning('user_id'),
);

export const putConfirmation = table('email_confirmations').put(['user_id'], ['hash', 'expires_at']);

/** The account of a confirmation token, for its first use only. */
export const useConfirmation = statement((db, p: { hash: Buffer; now: number }) =>
  db.deleteFrom('email_confirmations').where('hash', '=', p.hash).where('expires_at', '>', p.now).returning('user_id'),
);

export const markConfirmed = statement((db, p: { id: UserId; now: number }) =>
  db
    .updateTable('users')
    .set({ email_confirmed_at: p.now })
    .where('id', '=', p.id)
    .where('email_confirmed_at', 'is', null)
    .where('deleting_at', 'is', null),
);

export const markAllConfirmed = statement((db, p: { now: number }) =>
  db
    .updateTable('users')
    .set({ email_confirmed_at: p.now })
    .where('email_confirmed_at', 'is', null)
    .where('deleting_at', 'is', null),
);

// Analytics

export const putErasure = statement((db, p: { userId: UserId; analyticsId: string; now: number }) =>
  db
    .insertInto('analytics_erasures')
    .values({ user_id: p.userId, analytics_id: p.analyticsId, requested_at: p.now })
    .onConflict((conflict) => conflict.columns(['user_id', 'analytics_id']).doNothing()),
);

export const findErasures = statement((db, p: { limit: number }) =>
  db
    .selectFrom('analytics_erasures')
    .select(['user_id', 'analytics_id'])
    .orderBy('user_id')
    .orderBy('analytics_id')
    .limit(p.limit),
);

export const deleteErasure = table('analytics_erasures').delete('user_id', 'analytics_id');
