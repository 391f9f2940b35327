import { invalid, NotevaultError } from '@notevault/protocol/errors.ts';
import { NIL_UUID, parseUuid, type UserId } from '@notevault/protocol/values/ids.ts';
import type { WriteHandle } from '../../../ports/database/database.ts';
import * as store from './accounts.store.ts';
import type { Role, UserRow } from './accounts.tables.ts';
import type { AccountDeps } from './accounts.ts';
import { canonicalEmail } from './emails.ts';
import { type User, userOf } from './profile.ts';
import { rightsTaken } from './rights-taken.ts';
import { prepareSession } from './sessions/sessions.ts';

/*
 * Admin operations on accounts, by e-mail. All of these throw `account_not_found`.
 */

/** Throws `validation` for an unknown plan. */
export async function setPlan(deps: AccountDeps, sent: string, plan: string): Promise<User> {
  const { db, keys, plans } = deps;
  checkPlan(plans, plan);
  const server = await keys.openServer();
  const { email } = await findNamed(deps, sent);
  const row = await db.transact((handle) => handle.get(store.updatePlan, { email, plan }));
  if (row === undefined) throw new NotevaultError('account_not_found');
  return userOf(row, server);
}

/** A suspended account cannot sign in, and its credentials are refused until it is not. Throws `last_admin`. */
export async function setSuspended(deps: AccountDeps, sent: string, suspended: boolean): Promise<User> {
  const server = await deps.keys.openServer();
  const { id } = await findNamed(deps, sent);
  const row = await deps.db.transact(async (handle) => {
    await lockAdmins(handle);
    return await changeAccount(handle, deps, id, { suspended });
  });
  if (row === undefined) throw new NotevaultError('account_not_found');
  return userOf(row, server);
}

export async function findByEmail(deps: AccountDeps, email: string): Promise<User> {
  const server = await deps.keys.openServer();
  return userOf(await findNamed(deps, email), server);
}

/** Returns null when there is no such account. */
export async function findUser({ db, keys }: AccountDeps, id: UserId): Promise<User | null> {
  const server = await keys.openServer();
  const row = await db.get(store.findUser, { id });
  return row === undefined ? null : userOf(row, server);
}

/** The named account, or the only one. Throws `validation` when there are several and none is named. */
export async function findOwner(deps: AccountDeps, email?: string): Promise<User> {
  return userOf(await ownerRow(deps, email), await deps.keys.openServer());
}

async function ownerRow(deps: AccountDeps, sent: string | undefined): Promise<UserRow> {
  if (sent !== undefined) return findNamed(deps, sent);
  const [only, ...others] = await deps.db.all(store.findSomeUsers, { limit: 2 });
  if (others.length > 0) throw invalid({ email: ['must be named: there are several accounts'] });
  if (only === undefined) throw new NotevaultError('account_not_found');
  return only;
}

/**
 * Opens a session for the operator on this machine, of the account that `findOwner` returns. Also throws
 * `account_suspended`.
 */
export async function openSession(deps: AccountDeps, sent?: string): Promise<{ token: string; user: User }> {
  const row = await ownerRow(deps, sent);
  if (row.suspended_at !== null) throw new NotevaultError('account_suspended');
  const server = await deps.keys.openServer();
  const session = await prepareSession(deps, null, { method: 'command_line' });
  await deps.db.transact(async (handle) => {
    if ((await handle.get(store.lockUser, { id: row.id })) === undefined) {
      throw new NotevaultError('account_not_found');
    }
    await session.write(handle, row.id);
  });
  return { token: session.tokens.accessToken, user: userOf(row, server) };
}

/** The account with an e-mail, however it is written. */
export async function findNamed({ db }: AccountDeps, sent: string): Promise<UserRow> {
  const email = canonicalEmail(sent);
  const row = email === null ? undefined : await db.get(store.findUserByEmail, { email });
  if (row === undefined) throw new NotevaultError('account_not_found');
  return row;
}

/*
 * What admins do with the accounts of others, by id.
 */

const PAGE = 100;

/** An account, as admins see it. */
export type ListedUser = ReturnType<typeof listed>;

export interface UserChange {
  readonly plan?: string;
  readonly role?: Role;
  readonly suspended?: boolean;
}

/** A page of accounts in the order of their creation. Throws `invalid_cursor`. */
export async function listUsers(
  { db, clock, hooks }: AccountDeps,
  cursor?: string,
): Promise<{ users: ListedUser[]; next: UserId | null }> {
  const after = cursor === undefined ? (NIL_UUID as UserId) : (parseUuid(cursor) as UserId | null);
  if (after === null) throw new NotevaultError('invalid_cursor');
  const rows = await db.all(store.findUsersAfter, { after, limit: PAGE + 1 });
  const page = rows.slice(0, PAGE);
  const [first, last] = [page.at(0), page.at(-1)];
  if (first === undefined || last === undefined) return { users: [], next: null };
  const counts = await db.all(store.countSessionsOf, { first: first.id, last: last.id, now: clock.now() });
  const sessions = new Map(counts.map(({ userId, sessions: count }) => [userId, count]));
  const withFactor = await hooks.secondFactors.among(db, first.id, last.id);
  const passkeys = await hooks.passkeys.among(db, first.id, last.id);
  const users = page.map((row) => listed(row, sessions.get(row.id), withFactor.has(row.id), passkeys.get(row.id)));
  return { users, next: rows.length > PAGE ? last.id : null };
}

/** Throws `user_not_found`, `validation` for an unknown plan, `last_admin`, `admin_required`. */
export async function updateUser(
  deps: AccountDeps,
  admin: UserId,
  sent: string,
  change: UserChange,
): Promise<ListedUser> {
  const { db, clock, plans, hooks } = deps;
  const id = parseUuid(sent) as UserId | null;
  if (id === null) throw new NotevaultError('user_not_found');
  checkPlan(plans, change.plan);
  return await db.transact(async (handle) => {
    await lockAdmins(handle);
    await requireAdmin(handle, admin);
    const row = await changeAccount(handle, deps, id, change);
    if (row === undefined) throw new NotevaultError('user_not_found');
    const [counted] = await handle.all(store.countSessionsOf, { first: id, last: id, now: clock.now() });
    const hasFactor = (await hooks.secondFactors.among(handle, id, id)).has(id);
    return listed(row, counted?.sessions, hasFactor, (await hooks.passkeys.among(handle, id, id)).get(id));
  });
}

export async function countAccounts({ db, clock }: AccountDeps) {
  const users = await db.get(store.countUsers, {});
  const sessions = await db.get(store.countSessions, { now: clock.now() });
  return { users: 0, suspended: 0, sessions: 0, ...users, ...sessions };
}

/** Throws `validation` for a plan that does not exist. */
export function checkPlan(plans: AccountDeps['plans'], plan: string | undefined): void {
  if (plan === undefined || Object.hasOwn(plans, plan)) return;
  throw invalid({ plan: [`must be one of ${Object.keys(plans).join(', ')}`] });
}

/** Resolves to the account's row, or to nothing when there is none. All admins must be locked. Throws `last_admin`. */
export async function changeAccount(
  handle: WriteHandle,
  deps: AccountDeps,
  id: UserId,
  change: UserChange,
): Promise<UserRow | undefined> {
  const row = await handle.get(store.lockAccount, { id });
  if (row === undefined) return undefined;
  const { plan = row.plan, role = row.role, suspended = row.suspended_at !== null } = change;
  const isActiveAdmin = row.role === 'admin' && row.suspended_at === null;
  if (isActiveAdmin && (role !== 'admin' || suspended)) await requireOtherAdmin(handle, id);
  const suspendedAt = suspended ? (row.suspended_at ?? deps.clock.now()) : null;
  await rightsTaken(handle, deps, id);
  return handle.get(store.updateAccount, { id, plan, role, suspendedAt });
}

function listed(row: UserRow, sessions = 0, hasSecondFactor = false, passkeys = 0) {
  const { id, email, display_name, role, plan, created_at, suspended_at } = row;
  return { id, email, display_name, role, plan, created_at, suspended_at, sessions, hasSecondFactor, passkeys };
}

/*
 * A server always has an admin who can sign in. Every transaction that ends somebody's being one locks all admins
 * first: two last admins who end each other, or themselves, at once would otherwise each see the other.
 */

/** Locks all admins until the end of the transaction; must be called before a user is locked. */
export async function lockAdmins(handle: WriteHandle): Promise<void> {
  await handle.get(store.lockAdmins, {});
}

/** Throws `last_admin` unless there is another admin who can sign in. All admins must be locked. */
export async function requireOtherAdmin(handle: WriteHandle, id: UserId): Promise<void> {
  const other = await handle.get(store.findOtherAdmin, { id });
  if (other === undefined) throw new NotevaultError('last_admin');
}

/** Throws `admin_required` unless the user is still an admin who can sign in. All admins must be locked. */
export async function requireAdmin(handle: WriteHandle, id: UserId): Promise<void> {
  const row = await handle.get(store.findUser, { id });
  if (row?.role !== 'admin' || row.suspended_at !== null) throw new NotevaultError('admin_required');
}
