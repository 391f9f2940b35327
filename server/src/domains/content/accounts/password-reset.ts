import { invalid, NotevaultError } from '@notevault/protocol/errors.ts';
import { startLink } from '@notevault/protocol/start-link.ts';
import { NIL_UUID, type SessionId, type UserId } from '@notevault/protocol/values/ids.ts';
import type { WriteHandle } from '../../../ports/database/database.ts';
import { hashOf, newToken } from '../../foundation/tokens/tokens.ts';
import type { Recipient } from '../mails/mails.ts';
import * as store from './accounts.store.ts';
import type { AccountContext, AccountDeps } from './accounts.ts';
import { findNamed } from './admin.ts';
import { canonicalEmail } from './emails.ts';
import { checkPassword } from './passwords.ts';
import { present } from './profile.ts';
import { rightsTaken } from './rights-taken.ts';
import { isLimit, MAILS, PASSWORDS } from './sessions/attempts.ts';
import * as loginTokensStore from './sessions/login-tokens.store.ts';
import { requireProof, type SessionCaller } from './sessions/proofs.ts';
import * as secondFactorStore from './sessions/second-factor.store.ts';
import * as sessionStore from './sessions/sessions.store.ts';
import { mayUsePassword, requirePasswordLogin } from './sessions/sign-in-methods.ts';

export const RESET_MS = 60 * 60 * 1000;

/**
 * Sets a new password and revokes every other session. Throws `password_login_off`, `wrong_old_password`, `rate_limited`,
 * and `step_up_required` for an account that has no password yet.
 */
export async function changePassword(
  deps: AccountContext,
  caller: SessionCaller,
  { old_password = '', new_password }: { readonly old_password?: string; readonly new_password: string },
): Promise<void> {
  const { db, passwords, attempts } = deps;
  const { userId, credentialId } = caller;
  const row = present(await db.get(store.findUser, { id: userId }));
  const stored = row.password_hash;
  requirePasswordLogin(deps, row);
  if (stored === null) await requireProof(deps, caller, 'all');
  else {
    // Throttled, so that a stolen session cannot be used to guess the password.
    const uncount = await attempts.count([`in a session of ${userId}`, PASSWORDS]);
    if (!(await passwords.verify(old_password, stored))) throw new NotevaultError('wrong_old_password');
    await uncount();
  }
  checkPassword(new_password);
  const passwordHash = await passwords.hash(new_password);
  await db.transact(async (handle) => {
    const held = await handle.get(store.lockUser, { id: userId });
    // Of two concurrent changes, the second one's old password is no longer right.
    if (held?.password_hash !== stored) throw new NotevaultError('wrong_old_password');
    await setPassword(handle, deps, { userId, passwordHash, kept: credentialId as SessionId });
  });
}

/** Sets a new password by a reset token and revokes every session. Throws `invalid_reset_token`, `password_login_off`. */
export async function resetPassword(
  deps: AccountContext,
  { token, password }: { readonly token: string; readonly password: string },
): Promise<void> {
  const { db, clock, passwords } = deps;
  if (deps.passwordLogin === 'off') throw new NotevaultError('password_login_off');
  const hash = hashOf(token);
  const now = clock.now();
  const known = await db.get(store.findReset, { hash, now });
  if (known === undefined) throw new NotevaultError('invalid_reset_token');
  requirePasswordLogin(deps, present(await db.get(store.findUser, { id: known.user_id })));
  checkPassword(password);
  const passwordHash = await passwords.hash(password);
  await db.transact(async (handle) => {
    const reset = await handle.get(store.useReset, { hash, now });
    if (reset === undefined || (await handle.get(store.lockUser, { id: reset.user_id })) === undefined) {
      throw new NotevaultError('invalid_reset_token');
    }
    // Anybody who knew the old password may have sessions, so all are revoked.
    await setPassword(handle, deps, { userId: reset.user_id, passwordHash, kept: NO_SESSION });
  });
}

/** Returns a reset token, which is shown once and is valid for an hour and one use. Throws `account_not_found`. */
export async function issueReset(deps: AccountDeps, email: string): Promise<string> {
  return issueResetOf(deps, (await findNamed(deps, email)).id);
}

async function issueResetOf({ db, clock }: AccountDeps, userId: UserId): Promise<string> {
  const token = newToken(clock.random, 'nv_rst_');
  const reset = { user_id: userId, hash: token.hash, expires_at: clock.now() + RESET_MS };
  await db.transact((handle) => handle.run(store.putReset, reset));
  return token.raw;
}

/**
 * Sends a mail with a link that sets a new password. An address without an account costs the same statements: only
 * the job that sends the mail looks for the account. Throws a validation error for what is no text.
 */
export async function forgotPassword(deps: AccountContext, sent: unknown): Promise<void> {
  const { db, mails, attempts, passwordLogin } = deps;
  if (typeof sent !== 'string') throw invalid({ email: ["can't be blank"] });
  const email = canonicalEmail(sent);
  if (email === null || !mails.isOn || passwordLogin === 'off') return;
  const mail = await mails.prepare({ kind: 'reset', to: email, values: {} }, RESET_MS);
  try {
    await attempts.count([`mails in an hour to ${email}`, MAILS.hourly], [`mails in a day to ${email}`, MAILS.daily]);
  } catch (error) {
    if (isLimit(error)) return;
    throw error;
  }
  await db.transact((handle) => mail.write(handle));
}

/** The recipient of a reset mail; null for an address that is no account's, or that nobody has confirmed. */
export async function resetRecipient(deps: AccountDeps, email: string): Promise<Recipient | null> {
  const row = await deps.db.get(store.findUserByEmail, { email });
  if (row === undefined || row.email_confirmed_at === null || row.suspended_at !== null) return null;
  if (!mayUsePassword(deps, row.role)) return null;
  return { locale: row.locale, link: startLink(deps.publicUrl, 'reset', await issueResetOf(deps, row.id)) };
}

async function setPassword(
  handle: WriteHandle,
  deps: AccountDeps,
  { userId, passwordHash, kept }: { userId: UserId; passwordHash: string; kept: SessionId },
): Promise<void> {
  await rightsTaken(handle, deps, userId);
  await handle.run(store.updatePassword, { id: userId, passwordHash });
  await handle.run(sessionStore.deleteOtherSessions, { userId, kept });
  // A sign-in that began with the old password must not end with it.
  await handle.run(secondFactorStore.deleteTicketsOf, { user_id: userId });
  await handle.run(loginTokensStore.deleteTokensOf, { user_id: userId });
}

const NO_SESSION = NIL_UUID as SessionId;
