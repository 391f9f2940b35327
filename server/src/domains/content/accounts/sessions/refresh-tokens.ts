import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { SessionId } from '@notevault/protocol/values/ids.ts';
import type { SealingKey } from '../../../../ports/keyring/keyring.ts';
import {
  GRACE_MS,
  hashOf,
  newToken,
  type PresentedToken,
  prefixes,
  rotate,
} from '../../../foundation/tokens/tokens.ts';
import type { AccountDeps } from '../accounts.ts';
import { rightsTaken } from '../rights-taken.ts';
import { type SignInClient, sealClient } from './session-client.ts';
import * as store from './sessions.store.ts';

export const ACCESS_SECONDS = 15 * 60;
const DAY_MS = 24 * 60 * 60 * 1000;
/** A refresh token that begins so belongs to a session that ends with the browser. */
const BRIEF = '~';

export function newFamily(random: Buffer, isBrief: boolean): string {
  return `${isBrief ? BRIEF : ''}${random.toString('base64url')}`;
}

export const SESSION_MS = 30 * DAY_MS;

/** Returns the lifetime of a session from its last use, by its family or refresh token. */
export function lifetimeOf(token: string): number {
  return isBrief(token) ? DAY_MS : SESSION_MS;
}

/** Whether the browser is to forget a refresh token when it ends. */
export function isBrief(token: string): boolean {
  return token.startsWith(BRIEF);
}

/** The tokens that a client gets at sign-in and at each refresh. */
export interface Tokens {
  readonly accessToken: string;
  /** Validity of the access token in seconds. */
  readonly expiresIn: number;
  /** Empty for a session that cannot be prolonged. */
  readonly refreshToken: string;
}

/** The active session to which a refresh token belongs, or null. */
export async function findRefreshable(deps: AccountDeps, cookie = ''): Promise<SessionId | null> {
  return cookie === '' ? null : ((await findActive(deps, cookie))?.id ?? null);
}

async function findActive({ db, clock }: AccountDeps, cookie: string) {
  const [family = ''] = cookie.split('.', 1);
  const session = await db.get(store.findFamily, { familyHash: hashOf(family) });
  return session !== undefined && session.expires_at > clock.now() ? { family, ...session } : null;
}

/** Returns the next tokens of a session. Throws `no_refresh_token`, `invalid_refresh_token`, `suspended`. */
export async function refresh(deps: AccountDeps, cookie = '', signedIn: SignInClient | null = null): Promise<Tokens> {
  const { db, keys, clock } = deps;
  if (cookie === '') throw new NotevaultError('no_refresh_token');
  const now = clock.now();
  const session = await findActive(deps, cookie);
  if (session === null) throw new NotevaultError('invalid_refresh_token');
  if (session.suspended_at !== null) throw new NotevaultError('suspended');

  const server = await keys.openServer();
  const [sessionId, hash] = [session.id, hashOf(cookie)];
  const next = newToken(clock.random, `${session.family}.`);
  const access = newToken(clock.random, prefixes.session);
  const sealed = sealToken(server, sessionId, next.raw);
  const client = sealClient(server, sessionId, signedIn);
  const current = await db.transact(async (handle) => {
    const presented: PresentedToken = {
      async hold() {
        const use = { id: sessionId, client, now, expiresAt: now + lifetimeOf(cookie) };
        return (await handle.get(store.prolongSession, use)) !== undefined;
      },
      async replace() {
        if ((await handle.run(store.replaceRefreshToken, { sessionId, hash, now })) === 0) return false;
        await handle.run(store.insertRefreshToken, { session_id: sessionId, hash: next.hash, sealed });
        // A token deleted here still identifies its family, and counts as reused.
        await handle.run(store.deleteReplacedTokens, { sessionId, before: now - GRACE_MS });
        return true;
      },
      async replacedAt() {
        return (await handle.get(store.findRefreshToken, { session_id: sessionId, hash }))?.replaced_at;
      },
      async current() {
        return (await handle.get(store.findCurrentRefreshToken, { sessionId }))?.sealed;
      },
      async end() {
        await handle.run(store.deleteSession, { id: sessionId });
      },
    };
    const found = await rotate(presented, sealed, now);
    if (found === null) {
      await rightsTaken(handle, deps, session.user_id);
      return null;
    }
    await handle.run(store.deleteExpiredAccessTokens, { sessionId, now });
    const expires_at = now + ACCESS_SECONDS * 1000;
    await handle.run(store.insertAccessToken, { hash: access.hash, session_id: sessionId, expires_at });
    return found;
  });
  if (current === null) throw new NotevaultError('invalid_refresh_token');
  return { accessToken: access.raw, expiresIn: ACCESS_SECONDS, refreshToken: openToken(server, sessionId, current) };
}

const contextOf = (sessionId: SessionId) => ({ kind: 'refresh_tokens.sealed', row: sessionId, version: 0 });

/** A refresh token in its stored form, from which a replaced token can be answered. */
export function sealToken(server: SealingKey, sessionId: SessionId, raw: string): Buffer {
  return server.seal(contextOf(sessionId), Buffer.from(raw));
}

function openToken(server: SealingKey, sessionId: SessionId, sealed: Buffer): string {
  return server.open(contextOf(sessionId), sealed).toString();
}
