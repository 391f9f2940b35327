import { Nullable, Unchecked, Uuid } from '@notevault/protocol/schemas.ts';
import { Type } from 'typebox';
import type { User } from './profile.ts';
import type { Tokens } from './refresh-tokens.ts';

const Email = { description: 'E-mail address.' };
const Password = { description: 'At least 8 characters, at most 256 bytes.' };
const DisplayName = Nullable(Type.String({ maxLength: 80 }));

export const RegisterBody = Unchecked<{
  email?: unknown;
  password?: unknown;
  display_name?: string | null;
  invite?: string | null;
}>({
  email: Type.Unknown(Email),
  password: Type.Unknown(Password),
  display_name: DisplayName,
  invite: Nullable(Type.String({ description: 'Invite token, where registration needs one.' })),
});

export const LoginBody = Unchecked<{ email?: unknown; password?: unknown }>({
  email: Type.Unknown(Email),
  password: Type.Unknown(Password),
});

export const PasswordChangeBody = Type.Object({ old_password: Type.String(), new_password: Type.String() });
export const PasswordResetBody = Type.Object({ token: Type.String(), password: Type.String() });

export const ProfileBody = Type.Object({
  display_name: Type.Optional(DisplayName),
  locale: Type.Optional(Nullable(Type.String({ maxLength: 35, pattern: '^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$' }))),
  analytics_opt_out: Type.Optional(Type.Boolean()),
});

export const DeleteMeBody = Unchecked<{ password?: unknown }>({
  password: Type.Unknown({ description: 'The account’s password.' }),
});

export const Ok = Type.Object({ ok: Type.Boolean() });

export const UserSchema = Type.Object({
  id: Uuid,
  email: Type.String(),
  display_name: Nullable(Type.String()),
  role: Type.String(),
  locale: Nullable(Type.String()),
  analytics_id: Nullable(Type.String()),
  analytics_opt_out: Type.Boolean(),
});
export const UserResponse = Type.Object({ user: UserSchema });

const TokenFields = { access_token: Type.String(), expires_in: Type.Integer() };
export const SignedInResponse = Type.Object({
  ...TokenFields,
  user: Type.Object({ id: Uuid, email: Type.String(), role: Type.String() }),
});
export const TokensResponse = Type.Object(TokenFields);

export const BootstrapResponse = Type.Object({ bootstrap_pending: Type.Boolean(), registration_mode: Type.String() });

export function userView(user: User) {
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

export const REFRESH_COOKIE = 'refresh_token';
const COOKIE_SECONDS = 30 * 24 * 60 * 60;

function refreshCookie(value: string | null) {
  return { name: REFRESH_COOKIE, value, path: '/api/auth', maxAgeSeconds: COOKIE_SECONDS };
}

/** The answer to a sign-in or refresh: the access token in the body, the refresh token where no script can read it. */
export function tokensReply(tokens: Tokens & { readonly user?: User }) {
  const { user, accessToken, expiresIn, refreshToken } = tokens;
  const shown = user === undefined ? {} : { user: { id: user.id, email: user.email, role: user.role } };
  return {
    body: { access_token: accessToken, expires_in: expiresIn, ...shown },
    // No cache on the way may keep a token (RFC 6749, section 5.1).
    headers: { 'cache-control': 'no-store' },
    cookie: refreshCookie(refreshToken),
  };
}

export function signedOutReply() {
  return { cookie: refreshCookie(null) };
}
