import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { UserId } from '@notevault/protocol/values/ids.ts';
import { deleteUntil, type WriteHandle } from '../../../../ports/database/database.ts';
import { hashOf, newToken } from '../../../foundation/tokens/tokens.ts';
import * as accountStore from '../accounts.store.ts';
import type { UserRow } from '../accounts.tables.ts';
import type { AccountDeps } from '../accounts.ts';
import { findNamed } from '../admin.ts';
import { userOf } from '../profile.ts';
import * as store from './login-tokens.store.ts';
import type { SignInClient } from './session-client.ts';
import { prepareSession } from './sessions.ts';
import { type Identified, identified, type SignedIn } from './sign-in.ts';

/** How long a login token is valid, which works once. */
export const LOGIN_MS = 10 * 60 * 1000;
/** The app, in place of the path of a page. */
const APP = '';

/** Returns a link that signs in to the app once, without a password. Throws `account_not_found`. */
export async function issueLoginLink(deps: AccountDeps, email: string): Promise<string> {
  const { id } = await findNamed(deps, email);
  const token = await deps.db.transact((handle) => issueLoginToken(handle, deps, id, APP));
  return `${deps.publicUrl}/?login=${encodeURIComponent(token)}`;
}

/**
 * Returns a token with which a person who has just signed in goes on at a page of the server.
 *
 * @param page the path of the page, which alone accepts the token.
 */
export async function issueLoginToken(
  handle: WriteHandle,
  { clock }: AccountDeps,
  userId: UserId,
  page: string,
): Promise<string> {
  const token = newToken(clock.random, 'nv_lgn_');
  const [page_hash, expires_at] = [hashOf(page), clock.now() + LOGIN_MS];
  await handle.run(store.insertToken, { hash: token.hash, user_id: userId, page_hash, expires_at });
  return token.raw;
}

/** Opens the session of a login link. Throws `invalid_login_token`, `account_suspended`. */
export async function loginByLink(
  deps: AccountDeps,
  token: string,
  client: SignInClient | null = null,
): Promise<SignedIn> {
  const server = await deps.keys.openServer();
  const told = await findTokenUser(deps, token, APP);
  const session = await prepareSession(deps, client, { method: 'login_link', told });
  return useToken(deps, token, told.id, async (handle, user) => {
    await session.write(handle, user.id);
    return { ...session.tokens, user: userOf(user, server) };
  });
}

/** Returns the account of a token for a page. Throws `invalid_login_token`, `account_suspended`. */
export async function identifyByToken(deps: AccountDeps, token: string, page: string): Promise<Identified> {
  const { id } = await findTokenUser(deps, token, page);
  return useToken(deps, token, id, async (_, user) => identified(user));
}

async function findTokenUser({ db, clock }: AccountDeps, token: string, page: string): Promise<UserRow> {
  const named = { hash: hashOf(token), pageHash: hashOf(page), now: clock.now() };
  const found = await db.get(store.findToken, named);
  const user = found && (await db.get(accountStore.findUser, { id: found.user_id }));
  if (user === undefined) throw new NotevaultError('invalid_login_token');
  return user;
}

/** Uses a token up in the transaction that it permits. */
async function useToken<Result>(
  { db }: AccountDeps,
  token: string,
  id: UserId,
  work: (handle: WriteHandle, user: UserRow) => Promise<Result>,
): Promise<Result> {
  return await db.transact(async (handle) => {
    const user = await handle.get(accountStore.lockAccount, { id });
    const used = await handle.run(store.deleteToken, { hash: hashOf(token) });
    if (user === undefined || used === 0) throw new NotevaultError('invalid_login_token');
    if (user.suspended_at !== null) throw new NotevaultError('account_suspended');
    return await work(handle, user);
  });
}

/** Deletes expired tokens. */
export async function sweepLoginTokens({ db, clock }: AccountDeps): Promise<void> {
  await deleteUntil(db, store.deleteExpiredTokens, clock.now());
}
