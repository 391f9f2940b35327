import { invalid, NotevaultError } from '@notevault/protocol/errors.ts';
import * as store from './accounts.store.ts';
import type { UserRow } from './accounts.tables.ts';
import type { AccountDeps } from './accounts.ts';
import { lockAdmins } from './active-admins.ts';
import { canonicalEmail } from './emails.ts';
import { type User, userOf } from './profile.ts';
import { prepareSession } from './sessions/sessions.ts';
import { changeAccount, checkPlan } from './user-admin.ts';

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
 * Opens a session for the operator on the server's own machine, of the account that `findOwner` returns. Also throws
 * `account_suspended`.
 */
export async function openSession(deps: AccountDeps, sent?: string): Promise<{ token: string; user: User }> {
  const row = await ownerRow(deps, sent);
  if (row.suspended_at !== null) throw new NotevaultError('account_suspended');
  const server = await deps.keys.openServer();
  const session = await prepareSession(deps, null);
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
