import { NotevaultError } from '@notevault/protocol/errors.ts';
import { parseUuid } from '@notevault/protocol/values/ids.ts';
import { newToken } from '../tokens/tokens.ts';
import * as store from './accounts.store.ts';
import type { InviteRow } from './accounts.tables.ts';
import type { AccountDeps } from './accounts.ts';
import { canonicalEmail } from './emails.ts';

const INVITE_MS = 7 * 24 * 60 * 60 * 1000;
const LISTED_MAX = 1000;

/** An invite to register that was not used yet. */
export type Invite = Omit<InviteRow, 'hash'>;

/** Makes an invite for a week, for one e-mail if that is given. Its token is shown once. */
export async function createInvite(
  { db, clock }: AccountDeps,
  sent: string | null = null,
): Promise<Invite & { readonly token: string }> {
  const email = sent === null ? null : canonicalEmail(sent);
  if (sent !== null && email === null) throw new NotevaultError('email_and_password_required');
  const token = newToken(clock.random, 'nv_inv_');
  const now = clock.now();
  const invite = { id: clock.uuid(), email, created_at: now, expires_at: now + INVITE_MS };
  await db.transact(async (handle) => {
    await handle.run(store.deleteExpiredInvites, { now });
    await handle.run(store.insertInvite, { ...invite, hash: token.hash });
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
