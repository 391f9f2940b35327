import { NotevaultError } from '@notevault/protocol/errors.ts';
import { startLink } from '@notevault/protocol/start-link.ts';
import { cleanText } from '@notevault/protocol/values/clean-text.ts';
import type { UserId } from '@notevault/protocol/values/ids.ts';
import type { WriteHandle } from '../../../ports/database/database.ts';
import { hashOf, newToken } from '../../foundation/tokens/tokens.ts';
import type { MailKind, Recipient, SealedMail } from '../mails/mails.ts';
import * as store from './accounts.store.ts';
import type { AccountContext, AccountDeps } from './accounts.ts';
import { findNamed } from './admin.ts';
import { resetRecipient } from './password-reset.ts';
import { present } from './profile.ts';
import { isLimit, MAILS } from './sessions/attempts.ts';
import { methodsOf } from './sessions/sign-in-methods.ts';

export const CONFIRMATION_MS = 24 * 60 * 60 * 1000;

/** Facts about signing in to the account. */
export async function signInSettings(deps: AccountDeps, userId: UserId) {
  const { db, mails } = deps;
  const user = present(await db.get(store.findUser, { id: userId }));
  return { confirmedAt: user.email_confirmed_at, hasMail: mails.isOn, methods: await methodsOf(db, deps, user) };
}

/** Sends a link that confirms the address to the account’s address. Throws `rate_limited`. */
export async function requestConfirmation(deps: AccountContext, userId: UserId): Promise<void> {
  const { db, mails, attempts } = deps;
  const { email, locale, email_confirmed_at } = present(await db.get(store.findUser, { id: userId }));
  if (email_confirmed_at !== null || !mails.isOn) return;
  await attempts.count(
    [`confirmations in an hour of ${userId}`, MAILS.hourly],
    [`confirmations in a day of ${userId}`, MAILS.daily],
  );
  const confirmation = await prepareConfirmation(deps, email, locale);
  await db.transact((handle) => confirmation.write(handle, userId));
}

/** The mail with the link that confirms an address, and the token of the link, to be written for an account. */
export async function prepareConfirmation(
  { clock, mails, publicUrl }: AccountDeps,
  to: string,
  locale: string | null,
): Promise<SealedMail> {
  const token = newToken(clock.random, 'nv_cnf_');
  const values = { link: startLink(publicUrl, 'confirm', token.raw) };
  const mail = await mails.prepare({ kind: 'confirm', to, locale, values }, CONFIRMATION_MS);
  const confirmation = { hash: token.hash, expires_at: clock.now() + CONFIRMATION_MS };
  return {
    async write(handle, userId) {
      if (!mails.isOn || userId === undefined) return;
      await handle.run(store.putConfirmation, { ...confirmation, user_id: userId });
      await mail.write(handle, userId);
    },
  };
}

/** Throws `invalid_confirmation_token`. */
export async function confirmEmail({ db, clock }: AccountDeps, token: string): Promise<void> {
  const now = clock.now();
  await db.transact(async (handle) => {
    const used = await handle.get(store.useConfirmation, { hash: hashOf(token), now });
    if (used === undefined) throw new NotevaultError('invalid_confirmation_token');
    await handle.run(store.markConfirmed, { id: used.user_id, now });
  });
}

/** Confirms an address that somebody else has verified, if it is that of the account. */
export async function confirmVerified(
  handle: WriteHandle,
  { clock }: AccountDeps,
  userId: UserId,
  email: string,
): Promise<void> {
  const row = await handle.get(store.findUser, { id: userId });
  if (row?.email === email) await handle.run(store.markConfirmed, { id: userId, now: clock.now() });
}

/** The account with an address, which joins what has the same address only once that is confirmed; null without one. */
export async function findJoinable({ db }: AccountDeps, email: string) {
  const row = await db.get(store.findUserByEmail, { email });
  return row === undefined ? null : { id: row.id, isConfirmed: row.email_confirmed_at !== null };
}

/** Confirms the address of an account for the operator, or with null those of all; resolves to how many were not yet. */
export async function confirmNamed(deps: AccountDeps, email: string | null): Promise<number> {
  const { db, clock } = deps;
  const now = clock.now();
  const id = email === null ? null : (await findNamed(deps, email)).id;
  return await db.transact((handle) =>
    id === null ? handle.run(store.markAllConfirmed, { now }) : handle.run(store.markConfirmed, { id, now }),
  );
}

/**
 * Seals a mail with the link of an invitation; writing it sends it. Past the limit of a day the link reaches nobody by
 * mail: who invites still sees it, and strangers are not flooded.
 */
export async function inviteByMail(
  { db, mails, attempts }: AccountContext,
  inviter: UserId,
  { to, link, ms }: { readonly to: string; readonly link: string; readonly ms: number },
): Promise<SealedMail | null> {
  const { email, display_name, locale } = present(await db.get(store.findUser, { id: inviter }));
  const values = { link, by: cleanText(display_name) ?? email };
  const mail = await mails.prepare({ kind: 'invitation', to, locale, values }, ms);
  if (!mails.isOn) return mail;
  return attempts.count([`invitations in a day by ${inviter}`, MAILS.invitations]).then(
    () => mail,
    (error: unknown) => (isLimit(error) ? null : Promise.reject(error)),
  );
}

/** The recipient of a mail at the time of sending; null for a mail that nobody should get any more. */
export async function mailRecipient(deps: AccountDeps, kind: MailKind, address: string): Promise<Recipient | null> {
  if (kind === 'reset') return resetRecipient(deps, address);
  const row = await deps.db.get(store.findUserByEmail, { email: address });
  const locale = row?.locale ?? null;
  if (kind === 'invitation') return { locale };
  const isOver = row === undefined || (kind === 'confirm' && row.email_confirmed_at !== null);
  return isOver ? null : { locale };
}
