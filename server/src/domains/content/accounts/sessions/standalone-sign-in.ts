import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { UserId } from '@notevault/protocol/values/ids.ts';
import type { WriteHandle } from '../../../../ports/database/database.ts';
import * as accountStore from '../accounts.store.ts';
import type { UserRow } from '../accounts.tables.ts';
import type { AccountDeps } from '../accounts.ts';
import { present, userOf } from '../profile.ts';
import { issueLoginToken } from './login-tokens.ts';
import type { SignInClient } from './session-client.ts';
import { prepareSession } from './sessions.ts';
import type { SignedIn } from './sign-in.ts';
import type { StandaloneMethod } from './sign-in-methods.ts';

/**
 * Proves something in the transaction that relies on it. Returns an error to throw once what it stored is committed; null
 * for success.
 */
export type Proof = (handle: WriteHandle) => Promise<NotevaultError | null>;

/** A sign-in that a later domain has checked, up to the proof. */
export interface StandaloneSignIn {
  readonly userId: UserId;
  readonly method: StandaloneMethod;
  readonly prove: Proof;
}

/** Opens a session. Throws `account_suspended`, `unauthorized` once the account is being erased, and the proof's error. */
export async function signInStandalone(
  deps: AccountDeps,
  signIn: StandaloneSignIn & { readonly isBrief: boolean },
  client: SignInClient | null,
): Promise<SignedIn> {
  const { userId, method, isBrief } = signIn;
  const server = await deps.keys.openServer();
  const told = present(await deps.db.get(accountStore.findUser, { id: userId }));
  const session = await prepareSession(deps, client, { isBrief, told, method });
  return afterProof(deps, signIn, async (handle, user) => {
    await session.write(handle, userId);
    return { ...session.tokens, user: userOf(user, server) };
  });
}

/** Returns a token with which the person goes on at a page. Throws like `signInStandalone`. */
export async function signInOnPage(deps: AccountDeps, signIn: StandaloneSignIn, page: string): Promise<string> {
  return afterProof(deps, signIn, (handle, { id }) => issueLoginToken(handle, deps, id, page));
}

async function afterProof<Result>(
  { db }: AccountDeps,
  { userId, prove }: StandaloneSignIn,
  work: (handle: WriteHandle, user: UserRow) => Promise<Result>,
): Promise<Result> {
  const outcome = await db.transact(async (handle) => {
    const user = present(await handle.get(accountStore.lockAccount, { id: userId }));
    if (user.suspended_at !== null) throw new NotevaultError('account_suspended');
    const refusal = await prove(handle);
    return refusal ?? { result: await work(handle, user) };
  });
  if (outcome instanceof NotevaultError) throw outcome;
  return outcome.result;
}
