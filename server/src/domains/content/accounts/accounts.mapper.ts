import type { SessionsResponse, User as UserBody } from '@notevault/protocol/accounts.ts';
import { isoTime } from '@notevault/protocol/values/time.ts';
import type { Accounts } from './accounts.ts';
import type { User } from './profile.ts';
import { LOGIN_MS } from './sessions/login-tokens.ts';
import { isBrief, type Tokens } from './sessions/refresh-tokens.ts';
import type { SignedIn } from './sessions/sign-in.ts';

export function userView(user: User): { user: UserBody } {
  return {
    user: {
      id: user.id,
      email: user.email,
      display_name: user.displayName,
      role: user.role,
      locale: user.locale,
      analytics_id: user.analyticsId,
      analytics_opt_out: user.analyticsOptOut,
    },
  };
}

/** @param current id of the caller's own session. */
export function sessionsView(sessions: Awaited<ReturnType<Accounts['sessionsOf']>>, current: string): SessionsResponse {
  return {
    sessions: sessions.map(({ id, created_at, last_used_at, client, method }) => ({
      id,
      current: id === current,
      created_at: isoTime(created_at),
      last_used_at: isoTime(last_used_at),
      ip: client?.address ?? null,
      user_agent: client?.userAgent ?? null,
      method,
    })),
  };
}

export const REFRESH_COOKIE = 'refresh_token';
const COOKIE_SECONDS = 30 * 24 * 60 * 60;

export function refreshCookie(value: string | null) {
  const maxAgeSeconds = value !== null && isBrief(value) ? null : COOKIE_SECONDS;
  return { name: REFRESH_COOKIE, value, path: '/api/auth', maxAgeSeconds };
}

export const LOGIN_TOKEN_COOKIE = 'login_token';

/** The cookie with which a person who signed in elsewhere goes on at a page, which alone gets it. */
export function loginTokenCookie(page: string, value: string | null) {
  const [path = ''] = page.split('?');
  return { name: LOGIN_TOKEN_COOKIE, value, path, maxAgeSeconds: LOGIN_MS / 1000 };
}

export function signedInReply({ user, ...tokens }: SignedIn) {
  const { body, ...reply } = tokensReply(tokens);
  return { ...reply, body: { ...body, user: { id: user.id, email: user.email, role: user.role } } };
}

/** The answer to a refresh: the access token in the body, the refresh token in a cookie that scripts cannot read. */
export function tokensReply({ accessToken, expiresIn, refreshToken }: Tokens) {
  return {
    body: { access_token: accessToken, expires_in: expiresIn },
    // Headers of answers with tokens, which no cache may store (RFC 6749, section 5.1).
    headers: { 'cache-control': 'no-store' },
    cookies: [refreshCookie(refreshToken === '' ? null : refreshToken)],
  };
}

/** @param clears whether the browser is to delete its data for this server, including the app's databases. */
export function signedOutReply(clears: boolean) {
  const headers = clears ? { 'clear-site-data': '"storage"' } : {};
  return { cookies: [refreshCookie(null)], headers };
}
