import { timingSafeEqual } from 'node:crypto';
import { parseUuid, type SessionId, type UserId } from '@notevault/protocol/values/ids.ts';
import type { SealingKey } from '../../../../ports/keyring/keyring.ts';
import { prefixes } from '../../../foundation/tokens/tokens.ts';
import * as accountStore from '../accounts.store.ts';
import type { UserRow } from '../accounts.tables.ts';
import type { AccountDeps } from '../accounts.ts';
import { ACCESS_SECONDS, type Tokens } from './refresh-tokens.ts';

/*
 * Sessions of sign-ins while the disk of the database is full. No row stores them: the id contains the end and is
 * signed together with the account's rights version, so that whatever takes rights away ends them too. The id may be
 * known to others, so the token is signed once more.
 */

const END_BYTES = 6;
const ID_BYTES = 16;

/** Returns the access token of such a session. There is no refresh token. */
export function unstoredTokens(server: SealingKey, user: UserRow, now: number): Tokens {
  const id = idOf(server, user, now + ACCESS_SECONDS * 1000);
  const accessToken = `${prefixes.session}${user.id}.${id}.${signatureOf(server, id)}`;
  return { accessToken, expiresIn: ACCESS_SECONDS, refreshToken: '' };
}

/** Returns the account and id in a token that this server signed; null for others. */
export async function openUnstored({ keys }: AccountDeps, token: string) {
  const [userId, sent, signature = ''] = token.slice(prefixes.session.length).split('.');
  const [user, id] = [parseUuid(userId) as UserId | null, parseUuid(sent) as SessionId | null];
  if (user === null || id === null) return null;
  return isSame(signature, signatureOf(await keys.openServer(), id)) ? { userId: user, id } : null;
}

/** Returns the row of the account whose session has this id, while the session is active; also of a suspended account. */
export async function findUnstored(
  { db, keys, clock }: AccountDeps,
  userId: UserId,
  id: SessionId,
): Promise<UserRow | null> {
  const end = Number.parseInt(id.replaceAll('-', '').slice(0, 2 * END_BYTES), 16);
  const now = clock.now();
  if (end <= now || end > now + ACCESS_SECONDS * 1000) return null;
  const user = await db.get(accountStore.findUser, { id: userId });
  return user !== undefined && isSame(id, idOf(await keys.openServer(), user, end)) ? user : null;
}

function idOf(server: SealingKey, { id, rights_version }: UserRow, end: number): SessionId {
  const time = end.toString(16).padStart(2 * END_BYTES, '0');
  const signed = server.mac('unstored session', `${id} ${rights_version} ${end}`).toString('hex');
  const hex = `${time}${signed}`.slice(0, 2 * ID_BYTES);
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-') as SessionId;
}

function signatureOf(server: SealingKey, id: SessionId): string {
  return server.mac('unstored session token', id).toString('base64url');
}

function isSame(sent: string, right: string): boolean {
  const [one, other] = [Buffer.from(sent), Buffer.from(right)];
  return one.length === other.length && timingSafeEqual(one, other);
}
