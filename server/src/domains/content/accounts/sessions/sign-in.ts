import { NotevaultError } from '@notevault/protocol/errors.ts';
import { isFull } from '../../../../ports/database/database.ts';
import * as accountStore from '../accounts.store.ts';
import type { UserRow } from '../accounts.tables.ts';
import type { AccountContext } from '../accounts.ts';
import { canonicalEmail } from '../emails.ts';
import { type User, userOf } from '../profile.ts';
import { PASSWORDS } from './attempts.ts';
import type { Tokens } from './refresh-tokens.ts';
import { findTicket, requireSecondFactor, type SecondStep, useTicket } from './second-factor.ts';
import type { SignInClient } from './session-client.ts';
import { findNetwork, prepareSession } from './sessions.ts';
import { requirePasswordLogin } from './sign-in-methods.ts';
import { unstoredTokens } from './unstored-session.ts';

export interface SignedIn extends Tokens {
  readonly user: User;
}

/** The unchecked body of a registration or sign-in: any fault of its two fields gets the same error. */
export interface Credentials {
  readonly email?: unknown;
  readonly password?: unknown;
  /** False for a session that ends with the browser. */
  readonly remember?: unknown;
}

/**
 * Throws `email_and_password_required`, `password_login_off`, `invalid_credentials`, `account_suspended`, `rate_limited`,
 * and for an account with a second factor `second_factor_required`.
 */
export async function login(
  deps: AccountContext,
  credentials: Credentials,
  client: SignInClient | null = null,
): Promise<SignedIn> {
  const row = await check(deps, credentials, client?.address);
  const server = await deps.keys.openServer();
  const isBrief = credentials.remember === false;
  const session = await prepareSession(deps, client, { isBrief, told: row });
  const signIn = deps.db.transact(async (handle) => {
    // A password change revokes every session, so none may be opened with the old password meanwhile.
    const held = await handle.get(accountStore.lockUser, { id: row.id });
    if (held?.password_hash !== row.password_hash) throw new NotevaultError('invalid_credentials');
    if (held.suspended_at !== null) throw new NotevaultError('account_suspended');
    const required = await requireSecondFactor(handle, deps, row.id, isBrief);
    if (required === null) await session.write(handle, row.id);
    return required;
  });
  const refusal = await signIn.catch((error: unknown) => (isFull(error) ? error : Promise.reject(error)));
  if (refusal === null) return { ...session.tokens, user: userOf(row, server) };
  if (!isFull(refusal) || !(await mayLackSession(deps, row))) throw refusal;
  return { ...unstoredTokens(server, row, deps.clock.now()), user: userOf(row, server) };
}

/** Whether a sign-in needs to store nothing: an account with a second factor needs a ticket. */
async function mayLackSession({ db, hooks }: AccountContext, row: UserRow): Promise<boolean> {
  const current = await db.get(accountStore.findUser, { id: row.id });
  if (current === undefined || current.rights_version !== row.rights_version) return false;
  return (await hooks.secondFactors.methodsOf(db, row.id)).length === 0;
}

/**
 * Opens the session of a sign-in with its second factor. Throws `invalid_ticket`, `invalid_code`, `account_suspended`,
 * `rate_limited`.
 */
export async function proveSecondFactor(
  deps: AccountContext,
  step: SecondStep,
  client: SignInClient | null = null,
): Promise<SignedIn> {
  const server = await deps.keys.openServer();
  const ticket = await findTicket(deps, step.ticket);
  const session = await prepareSession(deps, client, { isBrief: ticket.isBrief, told: ticket.user });
  return useTicket(deps, ticket, step.code, client?.address ?? null, async (handle, user, method) => {
    await session.write(handle, user.id, method);
    return { ...session.tokens, user: userOf(user, server) };
  });
}

/** Account of a person who signed in for one decision, with its rights version. */
export type Identified = ReturnType<typeof identified>;

export function identified({ id, email, rights_version: rightsVersion }: UserRow) {
  return { id, email, rightsVersion };
}

/** Returns the account of these credentials without opening a session; throws like `login`. */
export async function identify(
  deps: AccountContext,
  credentials: Credentials,
  address: string | null = null,
): Promise<Identified> {
  const row = await check(deps, credentials, address);
  const required = await deps.db.transact((handle) => requireSecondFactor(handle, deps, row.id, false));
  if (required !== null) throw required;
  return identified(row);
}

/** Returns the account of a ticket and its code without opening a session; throws like `proveSecondFactor`. */
export async function identifyBySecondFactor(
  deps: AccountContext,
  step: SecondStep,
  address: string | null = null,
): Promise<Identified> {
  const ticket = await findTicket(deps, step.ticket);
  return useTicket(deps, ticket, step.code, address, async (_, user) => identified(user));
}

async function check(
  deps: AccountContext,
  { email: sent, password: secret }: Credentials,
  address: string | null = null,
): Promise<UserRow> {
  const { db, passwords, attempts, events } = deps;
  const { email, password } = readCredentials(sent, secret);
  if (deps.passwordLogin === 'off') throw new NotevaultError('password_login_off');
  const row = await db.get(accountStore.findUserByEmail, { email });
  // Attempts from a network from which the account signed in are counted separately: others cannot use them up.
  const { network, isKnown } = await findNetwork(deps, row?.id, address);
  const uncount = await attempts.count([isKnown ? `at ${email} from ${network}` : `at ${email}`, PASSWORDS]);
  const right = await passwords.verify(password, row?.password_hash ?? null);
  if (row === undefined || !right) {
    events.emit('signInRefused', { address });
    throw new NotevaultError('invalid_credentials');
  }
  await uncount();
  // After the password, which those who only try must not learn about.
  requirePasswordLogin(deps, row);
  if (row.suspended_at !== null) throw new NotevaultError('account_suspended');
  return row;
}

/** Throws `email_and_password_required`. */
export function readCredentials(email: unknown, password: unknown): { email: string; password: string } {
  const canonical = canonicalEmail(email);
  if (canonical === null || typeof password !== 'string' || password === '') {
    throw new NotevaultError('email_and_password_required');
  }
  return { email: canonical, password };
}
