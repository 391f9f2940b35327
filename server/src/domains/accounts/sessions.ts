import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { SessionId, UserId } from '@notevault/protocol/ids.ts';
import type { WriteHandle } from '../../engines/database/database.ts';
import type { SealingKey } from '../../engines/keyring/keyring.ts';
import * as store from './accounts.store.ts';
import type { AccountParts } from './parts.ts';
import { hashOf, newToken } from './tokens.ts';

const ACCESS_PREFIX = 'nv_ses_';
const ACCESS_SECONDS = 15 * 60;
const SESSION_MS = 30 * 24 * 60 * 60 * 1000;
/** Two tabs, or a retry after a lost answer, may present one refresh token twice. */
const GRACE_MS = 30_000;
const FAMILY_BYTES = 16;

/** What a client gets at sign-in and at each refresh. */
export interface Tokens {
  readonly accessToken: string;
  /** Seconds the access token is valid for. */
  readonly expiresIn: number;
  readonly refreshToken: string;
}

/** A session ready to be written: its secrets are made and sealed before the transaction opens. */
export interface PreparedSession {
  readonly tokens: Tokens;
  write(handle: WriteHandle, userId: UserId): Promise<void>;
}

/** What a session credential says of its caller. */
export interface SessionPrincipal {
  readonly kind: 'session';
  readonly userId: UserId;
  readonly credentialId: SessionId;
  readonly name: string;
}

export interface Sessions {
  prepare(): Promise<PreparedSession>;
  /** The caller behind an `Authorization` header. Throws `unauthorized`. */
  authenticate(authorization: string | undefined): Promise<SessionPrincipal>;
  /** The next tokens of a session. Throws `no_refresh_token`, `invalid_refresh_token`. */
  refresh(cookie: string | undefined): Promise<Tokens>;
  /** Ends the session of the cookie and the one of the access token, whichever are there. */
  logout(cookie: string | undefined, authorization: string | null): Promise<void>;
}

export function createSessions({ db, keys, clock, hooks }: AccountParts): Sessions {
  async function authenticate(authorization: string | undefined): Promise<SessionPrincipal> {
    const token = bearerOf(authorization);
    if (!token?.startsWith(ACCESS_PREFIX)) throw new NotevaultError('unauthorized');
    const found = await db.get(store.findAccess, { hash: hashOf(token), now: clock.now() });
    if (found === undefined) throw new NotevaultError('unauthorized');
    return { kind: 'session', userId: found.user_id, credentialId: found.session_id, name: 'Session' };
  }

  return {
    authenticate,
    async prepare() {
      const server = await keys.openServer();
      const id = clock.uuid() as SessionId;
      const family = clock.random(FAMILY_BYTES).toString('base64url');
      const refresh = newToken(clock.random, `${family}.`);
      const access = newToken(clock.random, ACCESS_PREFIX);
      const sealed = sealToken(server, id, refresh.raw);
      const now = clock.now();
      return {
        tokens: { accessToken: access.raw, expiresIn: ACCESS_SECONDS, refreshToken: refresh.raw },
        async write(handle, userId) {
          await handle.run(store.deleteExpiredSessions, { userId, now });
          const familyHash = hashOf(family);
          await handle.run(store.insertSession, { id, userId, familyHash, now, expiresAt: now + SESSION_MS });
          await handle.run(store.insertRefreshToken, { sessionId: id, hash: refresh.hash, sealed });
          const expiresAt = now + ACCESS_SECONDS * 1000;
          await handle.run(store.insertAccessToken, { hash: access.hash, sessionId: id, expiresAt });
        },
      };
    },
    async refresh(cookie) {
      if (cookie === undefined || cookie === '') throw new NotevaultError('no_refresh_token');
      const [family = ''] = cookie.split('.', 1);
      const presented = { familyHash: hashOf(family), hash: hashOf(cookie) };
      const now = clock.now();
      const session = await db.get(store.findRefresh, presented);
      if (session === undefined || session.expires_at <= now) throw new NotevaultError('invalid_refresh_token');

      const server = await keys.openServer();
      const next = newToken(clock.random, `${family}.`);
      const access = newToken(clock.random, ACCESS_PREFIX);
      const sealed = sealToken(server, session.id, next.raw);
      const current = await db.transact(async (handle) => {
        const turn = { sessionId: session.id, presented: presented.hash, next: next.hash, sealed, now };
        const found = await takeTurn(handle, turn);
        if (found === null) {
          handle.onCommit(() => hooks.credentialsChanged(session.user_id));
          return null;
        }
        await handle.run(store.deleteExpiredAccessTokens, { sessionId: session.id, now });
        const expiresAt = now + ACCESS_SECONDS * 1000;
        await handle.run(store.insertAccessToken, { hash: access.hash, sessionId: session.id, expiresAt });
        return found;
      });
      if (current === null) throw new NotevaultError('invalid_refresh_token');
      const refreshToken = openToken(server, session.id, current);
      return { accessToken: access.raw, expiresIn: ACCESS_SECONDS, refreshToken };
    },
    async logout(cookie, authorization) {
      const byToken = await authenticate(authorization ?? undefined).catch((error: unknown) => {
        if (error instanceof NotevaultError) return null;
        throw error;
      });
      const [family = ''] = (cookie ?? '').split('.', 1);
      if (family === '' && byToken === null) return;
      await db.transact(async (handle) => {
        const ended = await handle.get(store.deleteFamily, { familyHash: hashOf(family) });
        if (byToken !== null) await handle.run(store.deleteSession, { id: byToken.credentialId });
        for (const userId of new Set([ended?.user_id, byToken?.userId])) {
          if (userId !== undefined) handle.onCommit(() => hooks.credentialsChanged(userId));
        }
      });
    },
  };
}

interface Turn {
  readonly sessionId: SessionId;
  readonly presented: Buffer;
  readonly next: Buffer;
  readonly sealed: Buffer;
  readonly now: number;
}

/**
 * Resolves to the session's current refresh token, sealed: the next one when the presented one was current, the one
 * that took its place when that was within the grace. Any other token of the family was stolen or replayed: the session
 * ends and the answer is null.
 */
async function takeTurn(
  handle: WriteHandle,
  { sessionId, presented, next, sealed, now }: Turn,
): Promise<Buffer | null> {
  // First of all, so that refreshes of one session come one after another.
  const held = await handle.get(store.prolongSession, { id: sessionId, expiresAt: now + SESSION_MS });
  if (held === undefined) return null;
  if ((await handle.run(store.replaceRefreshToken, { sessionId, hash: presented, now })) === 1) {
    await handle.run(store.insertRefreshToken, { sessionId, hash: next, sealed });
    // A token forgotten here still names its family, and counts as reused.
    await handle.run(store.deleteReplacedTokens, { sessionId, before: now - GRACE_MS });
    return sealed;
  }
  const replaced = await handle.get(store.findRefreshToken, { sessionId, hash: presented });
  if (replaced?.replaced_at != null && now - replaced.replaced_at <= GRACE_MS) {
    const current = await handle.get(store.findCurrentRefreshToken, { sessionId });
    if (current !== undefined) return current.sealed;
  }
  await handle.run(store.deleteSession, { id: sessionId });
  return null;
}

const placeOf = (sessionId: SessionId) => ({ kind: 'refresh_tokens.sealed', row: sessionId, version: 0 });

function sealToken(server: SealingKey, sessionId: SessionId, raw: string): Buffer {
  return server.seal(placeOf(sessionId), Buffer.from(raw));
}

function openToken(server: SealingKey, sessionId: SessionId, sealed: Buffer): string {
  return server.open(placeOf(sessionId), sealed).toString();
}

/** RFC 6750, section 2.1; the scheme's case does not matter (RFC 9110, section 11.1). */
function bearerOf(authorization: string | undefined): string | null {
  return /^bearer ([\w\-.~+/]+=*)$/i.exec(authorization ?? '')?.[1] ?? null;
}
