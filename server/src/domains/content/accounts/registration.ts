import { timingSafeEqual } from 'node:crypto';
import { NotevaultError } from '@notevault/protocol/errors.ts';
import { startLink } from '@notevault/protocol/start-link.ts';
import { parseUuid, type UserId } from '@notevault/protocol/values/ids.ts';
import type { WriteHandle } from '../../../ports/database/database.ts';
import { hashOf, newToken } from '../../foundation/tokens/tokens.ts';
import * as store from './accounts.store.ts';
import type { InviteRow, Role, UserRow } from './accounts.tables.ts';
import type { AccountContext, AccountDeps } from './accounts.ts';
import { inviteByMail, prepareConfirmation } from './addresses.ts';
import { canonicalEmail } from './emails.ts';
import { checkPassword } from './passwords.ts';
import { cleanDisplayName, userOf } from './profile.ts';
import type { SignInClient } from './sessions/session-client.ts';
import { prepareSession } from './sessions/sessions.ts';
import { type Credentials, readCredentials, type SignedIn } from './sessions/sign-in.ts';
import { offeredMethods } from './sessions/sign-in-methods.ts';

export interface NewAccount extends Credentials {
  readonly display_name?: string | null;
  readonly invite?: unknown;
  readonly setup_token?: unknown;
}

/**
 * Throws `email_and_password_required`, the errors of a password, `registration_closed`, `invite_required`,
 * `invite_invalid`, `password_login_off`, `registration_failed`; of the first account `setup_token_required`, `setup_token_invalid`.
 */
export async function register(
  deps: AccountContext,
  { email: sent, password: secret, remember, display_name, invite: token, setup_token }: NewAccount,
  client: SignInClient | null = null,
): Promise<SignedIn> {
  const { db, keys, passwords } = deps;
  const { email, password } = readCredentials(sent, secret);
  checkPassword(password);
  const displayName = cleanDisplayName(display_name ?? null);
  const invite = textOf(token);
  const setupToken = textOf(setup_token);
  const join = await checkMode(deps, { email, invite, setupToken });
  const server = await keys.openServer();
  const password_hash = await passwords.hash(password);
  const session = await prepareSession(deps, client, { isBrief: remember === false });
  const confirmation = await prepareConfirmation(deps, email, null);
  const row = await db.transact(async (handle) => {
    const account = { email, password_hash, display_name: displayName, role: 'member' as const };
    const user = await insertAccount(handle, deps, account, async () => {
      // A caller with a setup token wants the first account, not just any account.
      if (setupToken !== null) throw new NotevaultError('setup_token_invalid');
      if (join === null) await admit(handle, deps, email, invite);
    });
    await join?.(handle, user.id);
    await confirmation.write(handle, user.id);
    await session.write(handle, user.id);
    return user;
  });
  return { ...session.tokens, user: userOf(row, server) };
}

/** @param host the `Host` header of the request. */
export async function bootstrap(deps: AccountDeps, host: string | null) {
  const { db, registration, mails } = deps;
  const first = await db.get(store.findFirstAccount, {});
  const methods = offeredMethods(deps, host);
  const { providerName } = deps.hooks.standalone;
  return { pending: first === undefined, mode: registration, hasMail: mails.isOn, methods, providerName };
}

/**
 * Creates an account for the operator, regardless of the registration mode; without a password it needs a reset to sign
 * in.
 */
export async function createUser(deps: AccountContext, sent: string, password?: string, role: Role = 'member') {
  const { db, keys, passwords } = deps;
  const email = canonicalEmail(sent);
  if (email === null) throw new NotevaultError('email_and_password_required');
  if (password !== undefined) checkPassword(password);
  const password_hash = password === undefined ? null : await passwords.hash(password);
  const server = await keys.openServer();
  const account = { email, password_hash, display_name: null, role };
  const row = await db.transact((handle) => insertAccount(handle, deps, account, async () => undefined));
  return userOf(row, server);
}

function textOf(sent: unknown): string | null {
  return typeof sent === 'string' && sent !== '' ? sent : null;
}

/** The facts that decide whether somebody may register. */
interface Admission {
  readonly email: string;
  readonly invite: string | null;
  readonly setupToken: string | null;
}

/**
 * Refuses a registration early, before a password is hashed. Resolves to the step that joins the invited vault, if the
 * registration is based on an invitation to one.
 */
async function checkMode(deps: AccountDeps, { email, invite, setupToken }: Admission) {
  const { db, clock, registration, passwordLogin, hooks } = deps;
  if ((await db.get(store.findFirstAccount, {})) === undefined) {
    await checkSetupToken(deps, setupToken);
    return null;
  }
  if (setupToken !== null) throw new NotevaultError('setup_token_invalid');
  // A new account is a member's.
  if (passwordLogin !== 'on') throw new NotevaultError('password_login_off');
  if (registration === 'open') return null;
  if (registration === 'closed') throw new NotevaultError('registration_closed');
  if (invite === null) throw new NotevaultError('invite_required');
  const join = await hooks.joining(invite, email);
  if (join !== null) return join;
  const found = await db.get(store.findInvite, { hash: hashOf(invite), email, now: clock.now() });
  if (found === undefined) throw new NotevaultError('invite_invalid');
  return null;
}

/** Repeats the check in the transaction, because meanwhile a first account may exist or the invite may be used. */
async function admit(handle: WriteHandle, { clock, registration }: AccountDeps, email: string, invite: string | null) {
  if (registration === 'open') return;
  if (registration === 'closed') throw new NotevaultError('registration_closed');
  if (invite === null) throw new NotevaultError('invite_required');
  const used = await handle.run(store.useInvite, { hash: hashOf(invite), email, now: clock.now() });
  if (used === 0) throw new NotevaultError('invite_invalid');
}

/** @param admitLater refuses an account that is not the first one. */
export async function insertAccount(
  handle: WriteHandle,
  { keys, clock, defaultPlan }: AccountDeps,
  account: Pick<UserRow, 'email' | 'password_hash' | 'display_name' | 'role'>,
  admitLater: () => Promise<void>,
): Promise<UserRow> {
  const now = clock.now();
  const first = (await handle.run(store.claimFirstAccount, { now })) === 1;
  if (!first) await admitLater();
  const id = clock.uuid() as UserId;
  const role = first ? 'admin' : account.role;
  const inserted = await handle.run(store.insertUser, { ...account, id, role, plan: defaultPlan, created_at: now });
  if (inserted === 0) throw new NotevaultError('registration_failed');
  await keys.create(handle, { kind: 'user', id });
  const row = await handle.get(store.findUser, { id });
  if (row === undefined) throw new Error('an account just written cannot be read');
  return row;
}

const PREFIX = 'nv_setup_';

/**
 * The token that registering the first account needs; null once there is an account. It is needed on the server's own
 * machine too, because a proxy there makes every request look local. It is derived from the server's key, so every
 * process and every start shows the same one, and the database holds nothing from which it could be made without the
 * master key.
 */
export async function setupToken(deps: AccountDeps): Promise<string | null> {
  const first = await deps.db.get(store.findFirstAccount, {});
  return first === undefined ? deriveToken(deps) : null;
}

/** Throws `setup_token_required` when none was sent, and `setup_token_invalid`. */
export async function checkSetupToken(deps: AccountDeps, sent: string | null): Promise<void> {
  if (sent === null) throw new NotevaultError('setup_token_required');
  if (!timingSafeEqual(hashOf(sent), hashOf(await deriveToken(deps)))) throw new NotevaultError('setup_token_invalid');
}

async function deriveToken({ keys }: AccountDeps): Promise<string> {
  const server = await keys.openServer();
  return PREFIX + server.mac('setup token', 'first account').toString('base64url');
}

export const INVITE_MS = 7 * 24 * 60 * 60 * 1000;
const LISTED_MAX = 1000;

/** An invite to register that was not used yet. */
export type Invite = Omit<InviteRow, 'hash'>;

/**
 * Makes an invite for a week, for one e-mail if that is given, to which it is sent. Its token is shown once.
 *
 * @param inviter null for the operator, who sends the link.
 */
export async function createInvite(
  deps: AccountContext,
  sent: string | null = null,
  inviter: UserId | null = null,
): Promise<Invite & { readonly token: string }> {
  const { db, clock, publicUrl } = deps;
  const email = sent === null ? null : canonicalEmail(sent);
  if (sent !== null && email === null) throw new NotevaultError('email_and_password_required');
  const token = newToken(clock.random, 'nv_inv_');
  const now = clock.now();
  const invite = { id: clock.uuid(), email, created_at: now, expires_at: now + INVITE_MS };
  const link = startLink(publicUrl, 'invite', token.raw);
  const isMailed = email !== null && inviter !== null;
  const mail = isMailed ? await inviteByMail(deps, inviter, { to: email, link, ms: INVITE_MS }) : null;
  await db.transact(async (handle) => {
    await handle.run(store.deleteExpiredInvites, { now });
    await handle.run(store.insertInvite, { ...invite, hash: token.hash });
    await mail?.write(handle);
  });
  return { ...invite, token: token.raw };
}

/** The invites that can be used, the latest first. */
export async function listInvites({ db, clock }: AccountDeps): Promise<Invite[]> {
  return db.all(store.listInvites, { now: clock.now(), limit: LISTED_MAX });
}

/** Throws `invite_not_found`. */
export async function deleteInvite({ db, clock }: AccountDeps, sent: string): Promise<void> {
  const id = parseUuid(sent);
  const now = clock.now();
  const deleted = id === null ? 0 : await db.transact((handle) => handle.run(store.deleteInvite, { id, now }));
  if (deleted === 0) throw new NotevaultError('invite_not_found');
}
