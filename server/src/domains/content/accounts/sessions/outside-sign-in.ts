import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { UserId } from '@notevault/protocol/values/ids.ts';
import type { WriteHandle } from '../../../../ports/database/database.ts';
import * as store from '../accounts.store.ts';
import type { Role, UserRow } from '../accounts.tables.ts';
import type { AccountContext } from '../accounts.ts';
import { confirmVerified, prepareConfirmation } from '../addresses.ts';
import { changeAccount, lockAdmins } from '../admin.ts';
import { insertAccount } from '../registration.ts';
import { issueLoginToken } from './login-tokens.ts';
import type { SignInClient } from './session-client.ts';
import { prepareSession } from './sessions.ts';
import type { StandaloneMethod } from './sign-in-methods.ts';

/** An account that a sign-in creates. */
export interface Newcomer {
  /** Canonical. */
  readonly email: string;
  readonly displayName: string | null;
}

/** A sign-in that a later domain has checked, without a password. */
export interface OutsideSignIn {
  readonly account: UserId | Newcomer;
  readonly method: StandaloneMethod;
  readonly client: SignInClient;
  /** Whether the session is to end with the browser. */
  readonly isBrief?: boolean;
  /** When the person last proved who they are. */
  readonly provedAt: number;
  /** An address that was proved to be the person's, canonical; null for none. */
  readonly verifiedEmail?: string | null;
  /** The role that the account gets; null keeps the one that it has. */
  readonly role?: Role | null;
  /** Path of the page of the server at which the person goes on, without a session; null for the app. */
  readonly page?: string | null;
  /** Writes what belongs to the sign-in, in its transaction and with the account locked. */
  record(handle: WriteHandle, userId: UserId): Promise<void>;
}

/** The refresh token of a new session, or the token for a page. */
export type Entrance = { readonly refreshToken: string } | { readonly loginToken: string };

/** Throws `account_suspended`, `sign_in_over`, `first_account_missing`, `registration_failed`. */
export async function enter(deps: AccountContext, signIn: OutsideSignIn): Promise<Entrance> {
  const { db } = deps;
  const { account, method, client, provedAt, verifiedEmail = null, role = null, page = null } = signIn;
  const told = typeof account === 'string' ? ((await db.get(store.findUser, { id: account })) ?? null) : null;
  const session = await prepareSession(deps, client, { method, told, provedAt, isBrief: signIn.isBrief === true });
  const welcome = typeof account === 'string' ? null : await prepareConfirmation(deps, account.email, null);
  return await db.transact(async (handle) => {
    // Before the account, as everywhere.
    if (role !== null) await lockAdmins(handle);
    const row = typeof account === 'string' ? await lock(handle, account) : await create(handle, deps, account, role);
    await signIn.record(handle, row.id);
    if (verifiedEmail !== null) await confirmVerified(handle, deps, row.id, verifiedEmail);
    else await welcome?.write(handle, row.id);
    if (role !== null && row.role !== role) await assign(handle, deps, row.id, role);
    if (page !== null) return { loginToken: await issueLoginToken(handle, deps, row.id, page) };
    await session.write(handle, row.id);
    return { refreshToken: session.tokens.refreshToken };
  });
}

async function lock(handle: WriteHandle, id: UserId): Promise<UserRow> {
  const row = await handle.get(store.lockAccount, { id });
  if (row === undefined) throw new NotevaultError('sign_in_over');
  if (row.suspended_at !== null) throw new NotevaultError('account_suspended');
  return row;
}

/** The first account needs the setup token, which no sign-in elsewhere has. */
async function create(handle: WriteHandle, deps: AccountContext, { email, displayName }: Newcomer, role: Role | null) {
  if ((await handle.get(store.findFirstAccount, {})) === undefined) throw new NotevaultError('first_account_missing');
  const account = { email, password_hash: null, display_name: displayName, role: role ?? 'member' };
  return insertAccount(handle, deps, account, async () => undefined);
}

/** The last admin stays one: otherwise a mistake at the provider would leave the server without any. */
async function assign(handle: WriteHandle, deps: AccountContext, id: UserId, role: Role): Promise<void> {
  await changeAccount(handle, deps, id, { role }).catch((error: unknown) => {
    if (!(error instanceof NotevaultError) || error.code !== 'last_admin') throw error;
  });
}
