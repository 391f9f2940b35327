import { invalid, NotevaultError } from '@notevault/protocol/errors.ts';
import * as store from './accounts.store.ts';
import type { UserRow } from './accounts.tables.ts';
import type { AccountDeps } from './accounts.ts';
import { lockAdmins } from './active-admins.ts';
import { canonicalEmail } from './emails.ts';
import { type User, userOf } from './profile.ts';
import type { Sessions } from './sessions/sessions.ts';
import { changeAccount, checkPlan } from './user-admin.ts';

/** Admin operations on accounts, by e-mail. All of these throw `account_not_found`. */
export interface AccountAdmin {
  /** Throws `validation` for an unknown plan. */
  setPlan(email: string, plan: string): Promise<User>;
  /** A suspended account cannot sign in, and its credentials are refused until it is not. Throws `last_admin`. */
  setSuspended(email: string, suspended: boolean): Promise<User>;
  findByEmail(email: string): Promise<User>;
  /** The named account, or the only one. Throws `validation` when there are several and none is named. */
  findOwner(email?: string): Promise<User>;
  /**
   * Opens a session for the operator on the server's own machine, of the account that `findOwner` returns. Also throws
   * `account_suspended`.
   */
  openSession(email?: string): Promise<{ token: string; user: User }>;
}

export function createAccountAdmin(deps: AccountDeps, sessions: Pick<Sessions, 'prepare'>): AccountAdmin {
  const { db, keys, plans } = deps;

  async function findOwner(sent: string | undefined): Promise<UserRow> {
    if (sent !== undefined) return findNamed(deps, sent);
    const rows = await db.all(store.findSomeUsers, { limit: 2 });
    if (rows.length > 1) throw invalid({ email: ['must be named: there are several accounts'] });
    const [only] = rows;
    if (only === undefined) throw new NotevaultError('account_not_found');
    return only;
  }

  return {
    async setPlan(sent, plan) {
      checkPlan(plans, plan);
      const server = await keys.openServer();
      const { email } = await findNamed(deps, sent);
      const row = await db.transact((handle) => handle.get(store.updatePlan, { email, plan }));
      if (row === undefined) throw new NotevaultError('account_not_found');
      return userOf(row, server);
    },
    async setSuspended(sent, suspended) {
      const server = await keys.openServer();
      const { id } = await findNamed(deps, sent);
      const row = await db.transact(async (handle) => {
        await lockAdmins(handle);
        return await changeAccount(handle, deps, id, { suspended });
      });
      if (row === undefined) throw new NotevaultError('account_not_found');
      return userOf(row, server);
    },
    async findByEmail(email) {
      const server = await keys.openServer();
      return userOf(await findNamed(deps, email), server);
    },
    async findOwner(sent) {
      return userOf(await findOwner(sent), await keys.openServer());
    },
    async openSession(sent) {
      const row = await findOwner(sent);
      if (row.suspended_at !== null) throw new NotevaultError('account_suspended');
      const server = await keys.openServer();
      const session = await sessions.prepare(null);
      await db.transact(async (handle) => {
        if ((await handle.get(store.lockUser, { id: row.id })) === undefined) {
          throw new NotevaultError('account_not_found');
        }
        await session.write(handle, row.id);
      });
      return { token: session.tokens.accessToken, user: userOf(row, server) };
    },
  };
}

/** The account with an e-mail, however it is written. Throws `account_not_found`. */
export async function findNamed({ db }: Pick<AccountDeps, 'db'>, sent: string): Promise<UserRow> {
  const email = canonicalEmail(sent);
  const row = email === null ? undefined : await db.get(store.findUserByEmail, { email });
  if (row === undefined) throw new NotevaultError('account_not_found');
  return row;
}
