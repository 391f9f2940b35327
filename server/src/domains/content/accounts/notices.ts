import type { UserId } from '@notevault/protocol/values/ids.ts';
import type { MailContent, SealedMail } from '../mails/mails.ts';
import * as store from './accounts.store.ts';
import type { UserRow } from './accounts.tables.ts';
import type { AccountDeps } from './accounts.ts';
import { present } from './profile.ts';

/** A mail to an account about its security. */
type Notice = Extract<MailContent, { kind: 'sign_in' | 'passkey_copied' }>;

/**
 * Seals a notice, to be written for the account; null for one whose address nobody has confirmed.
 *
 * @param noticeAt makes it for the present time, as mails show it.
 */
export async function prepareNotice(
  { mails, clock }: AccountDeps,
  { email, locale, email_confirmed_at }: UserRow,
  noticeAt: (at: string) => Notice,
): Promise<SealedMail | null> {
  if (email_confirmed_at === null) return null;
  const at = `${new Date(clock.now()).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
  return mails.prepare({ ...noticeAt(at), to: email, locale });
}

/** Like `prepareNotice`, for the account with an id. */
export async function prepareNoticeFor(deps: AccountDeps, userId: UserId, noticeAt: (at: string) => Notice) {
  return prepareNotice(deps, present(await deps.db.get(store.findUser, { id: userId })), noticeAt);
}
