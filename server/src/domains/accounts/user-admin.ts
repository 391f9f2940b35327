import { invalid, NotevaultError } from '@notevault/protocol/errors.ts';
import { NIL_UUID, parseUuid, type UserId } from '@notevault/protocol/values/ids.ts';
import type { WriteHandle } from '../../ports/database/database.ts';
import * as store from './accounts.store.ts';
import type { Role, UserRow } from './accounts.tables.ts';
import type { AccountDeps } from './accounts.ts';
import { lockAdmins, requireAdmin, requireOtherAdmin } from './active-admins.ts';

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
  { db, clock }: AccountDeps,
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
  const users = page.map((row) => listed(row, sessions.get(row.id) ?? 0));
  return { users, next: rows.length > PAGE ? last.id : null };
}

/** Throws `user_not_found`, `validation` for an unknown plan, `last_admin`, `admin_required`. */
export async function updateUser(
  deps: AccountDeps,
  admin: UserId,
  sent: string,
  change: UserChange,
): Promise<ListedUser> {
  const { db, clock, plans } = deps;
  const id = parseUuid(sent) as UserId | null;
  if (id === null) throw new NotevaultError('user_not_found');
  checkPlan(plans, change.plan);
  return await db.transact(async (handle) => {
    await lockAdmins(handle);
    await requireAdmin(handle, admin);
    const row = await changeAccount(handle, deps, id, change);
    if (row === undefined) throw new NotevaultError('user_not_found');
    const [counted] = await handle.all(store.countSessionsOf, { first: id, last: id, now: clock.now() });
    return listed(row, counted?.sessions ?? 0);
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

/**
 * Changes an account; resolves to its row, or to nothing when there is none. All admins must be locked. Throws
 * `last_admin`.
 */
export async function changeAccount(
  handle: WriteHandle,
  { clock, events }: AccountDeps,
  id: UserId,
  change: UserChange,
): Promise<UserRow | undefined> {
  const row = await handle.get(store.lockAccount, { id });
  if (row === undefined) return undefined;
  const { plan = row.plan, role = row.role, suspended = row.suspended_at !== null } = change;
  const isActiveAdmin = row.role === 'admin' && row.suspended_at === null;
  if (isActiveAdmin && (role !== 'admin' || suspended)) await requireOtherAdmin(handle, id);
  const suspendedAt = suspended ? (row.suspended_at ?? clock.now()) : null;
  handle.onCommit(() => events.emit('credentialsChanged', { userId: id }));
  return handle.get(store.updateAccount, { id, plan, role, suspendedAt });
}

function listed({ id, email, display_name, role, plan, created_at, suspended_at }: UserRow, sessions: number) {
  return { id, email, display_name, role, plan, created_at, suspended_at, sessions };
}
