import { NotevaultError } from '@notevault/protocol/errors.ts';
import { NIL_UUID, type UserId } from '@notevault/protocol/values/ids.ts';
import { networkOf } from '@notevault/protocol/values/ip-network.ts';
import * as store from '../accounts.store.ts';
import type { UserRow } from '../accounts.tables.ts';
import type { AccountContext } from '../accounts.ts';
import { canonicalEmail } from '../emails.ts';
import { type User, userOf } from '../profile.ts';
import type { Tokens } from './refresh-tokens.ts';
import type { SignInClient } from './session-client.ts';
import * as sessionStore from './sessions.store.ts';
import { networkMacOf, prepareSession } from './sessions.ts';

export interface SignedIn extends Tokens {
  readonly user: User;
}

/** What a client sends to register or sign in, unchecked: all faults of the two fields get one error. */
export interface Credentials {
  readonly email?: unknown;
  readonly password?: unknown;
  /** False for a session that ends with the browser. */
  readonly remember?: unknown;
}

/**
 * @param client null if there is none. Throws `email_and_password_required`, `invalid_credentials`, `account_suspended`,
 * `rate_limited`.
 */
export async function login(
  deps: AccountContext,
  credentials: Credentials,
  client: SignInClient | null = null,
): Promise<SignedIn> {
  const row = await check(deps, credentials, client?.address);
  const server = await deps.keys.openServer();
  const session = await prepareSession(deps, client, credentials.remember === false);
  await deps.db.transact(async (handle) => {
    // A password change revokes every session, so none may be opened with the old password meanwhile.
    const held = await handle.get(store.lockUser, { id: row.id });
    if (held?.password_hash !== row.password_hash) throw new NotevaultError('invalid_credentials');
    if (held.suspended_at !== null) throw new NotevaultError('account_suspended');
    await session.write(handle, row.id);
  });
  return { ...session.tokens, user: userOf(row, server) };
}

/** Returns the account of these credentials without opening a session; throws like `login`. */
export async function identify(deps: AccountContext, credentials: Credentials, address: string | null = null) {
  const { id, email } = await check(deps, credentials, address);
  return { id, email };
}

async function check(
  { db, keys, passwords, recordAttempt }: AccountContext,
  { email: sent, password: secret }: Credentials,
  address: string | null = null,
): Promise<UserRow> {
  const { email, password } = readCredentials(sent, secret);
  const server = await keys.openServer();
  const row = await db.get(store.findUserByEmail, { email });
  // Attempts from a network in which the account is signed in are counted separately, so that attempts from elsewhere
  // cannot use them up.
  const network = address === null ? null : networkOf(address);
  const networkMac = network === null ? NO_MAC : networkMacOf(server, network);
  const known = await db.get(sessionStore.findKnownNetwork, { userId: row?.id ?? DUMMY_USER, networkMac });
  const refund = recordAttempt({ account: known === undefined ? email : `${email} ${network}`, network });
  const right = await passwords.verify(password, row?.password_hash ?? null);
  if (row === undefined || !right) throw new NotevaultError('invalid_credentials');
  refund();
  if (row.suspended_at !== null) throw new NotevaultError('account_suspended');
  return row;
}

const DUMMY_USER = NIL_UUID as UserId;
const NO_MAC = Buffer.alloc(0);

/** Throws `email_and_password_required`. */
export function readCredentials(email: unknown, password: unknown): { email: string; password: string } {
  const canonical = canonicalEmail(email);
  if (canonical === null || typeof password !== 'string' || password === '') {
    throw new NotevaultError('email_and_password_required');
  }
  return { email: canonical, password };
}
