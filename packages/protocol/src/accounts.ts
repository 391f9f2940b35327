import { type Static, Type } from 'typebox';
import { PasskeyAssertion } from './passkeys.ts';
import { Nullable, sent, sentAlways, Timestamp, Unchecked, Uuid } from './values/schemas.ts';

const Email = sentAlways(Type.String({ description: 'E-mail address.' }));
const Password = sentAlways(Type.String({ description: 'At least 8 characters, at most 256 bytes.' }));
const DisplayName = Nullable(Type.String({ maxLength: 80 }));

const Remember = sent(
  Type.Boolean({
    description: 'False for a session that ends with the browser, or a day after its last use. True by default.',
  }),
);

export const RegisterBody = Unchecked<{
  email?: unknown;
  password?: unknown;
  remember?: unknown;
  display_name?: string | null;
  invite?: string | null;
  setup_token?: string | null;
}>({
  email: Email,
  password: Password,
  remember: Remember,
  display_name: DisplayName,
  invite: Nullable(Type.String({ description: 'Invite token, where registration needs one.' })),
  setup_token: Nullable(Type.String({ description: 'Setup token, for the first account.' })),
});

export const LoginBody = Unchecked<{ email?: unknown; password?: unknown; remember?: unknown }>({
  email: Email,
  password: Password,
  remember: Remember,
});

export const SecondFactorBody = Type.Object({
  ticket: Type.String({ description: 'The `ticket` of the answer to the sign-in.' }),
  code: Type.String({ description: 'A code of the authenticator app, or a recovery code.' }),
});
export const LoginLinkBody = Type.Object({
  token: Type.String({ description: 'The token of the link, which works once.' }),
});
export const StepUpBody = Type.Object({
  password: Type.Optional(Type.String({ description: 'The account’s password; this, a code or a passkey.' })),
  code: Type.Optional(Type.String({ description: 'A code of the authenticator app, or a recovery code.' })),
  passkey: Type.Optional(PasskeyAssertion),
});
export type StepUpBody = Static<typeof StepUpBody>;

export const LogoutQuery = Type.Object({
  clear: Type.Optional(
    Type.String({ description: '`true` has the browser remove everything that it keeps for this server.' }),
  ),
});

export const PasswordChangeBody = Type.Object({
  old_password: Type.Optional(Type.String({ description: 'Needed unless the account has no password yet.' })),
  new_password: Type.String(),
});
export const PasswordResetBody = Type.Object({ token: Type.String(), password: Type.String() });

export const ForgotBody = Unchecked<{ email?: unknown }>({ email: Email });
export const ConfirmBody = Type.Object({ token: Type.String() });

export const ProfileBody = Type.Object({
  display_name: Type.Optional(DisplayName),
  locale: Type.Optional(Nullable(Type.String({ maxLength: 35, pattern: '^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$' }))),
  analytics_opt_out: Type.Optional(Type.Boolean()),
});
export type ProfileBody = Static<typeof ProfileBody>;

export const DeleteMeBody = Unchecked<{ password?: unknown }>({
  password: sentAlways(Type.String({ description: 'The account’s password.' })),
});

export const Ok = Type.Object({ ok: Type.Boolean() });

export const User = Type.Object({
  id: Uuid,
  email: Type.String(),
  display_name: Nullable(Type.String()),
  role: Type.String(),
  locale: Nullable(Type.String()),
  analytics_id: Nullable(Type.String()),
  analytics_opt_out: Type.Boolean(),
});
export type User = Static<typeof User>;
export const UserResponse = Type.Object({ user: User });
export type UserResponse = Static<typeof UserResponse>;

export const SignInMethod = Type.Enum(['password', 'passkey', 'totp', 'recovery_code', 'oidc']);
export type SignInMethod = Static<typeof SignInMethod>;

export const SignInSettings = Type.Object({
  email_confirmed_at: Nullable({ ...Timestamp, description: 'When the e-mail was confirmed; null until then.' }),
  mail: Type.Boolean({ description: 'Whether the server can send a link that confirms it.' }),
  methods: Type.Array(SignInMethod, { description: 'Proofs of identity that the account has.' }),
  totp: Nullable(
    Type.Object({
      confirmed_at: Timestamp,
      recovery_codes_left: Type.Integer({ description: 'Recovery codes that were not used yet.' }),
    }),
  ),
  identities: Type.Array(
    Type.Object({
      id: Uuid,
      issuer: Type.String(),
      email: Nullable(Type.String({ description: 'The address that the provider names.' })),
      created_at: Timestamp,
      last_used_at: Timestamp,
    }),
    { description: 'Identities at an OpenID Connect provider that sign in to the account.' },
  ),
});
export type SignInSettings = Static<typeof SignInSettings>;

export const VisitBody = Type.Object({
  return_to: Type.Optional(
    Type.String({ description: 'Path of this server to which the browser comes back; the first page by default.' }),
  ),
});
export const VisitStarted = Type.Object({
  url: Type.String({ description: 'Address of the provider, for the browser that has the cookie of this answer.' }),
});
export type VisitStarted = Static<typeof VisitStarted>;

const TokenFields = { access_token: Type.String(), expires_in: Type.Integer() };
export const SignedInResponse = Type.Object({
  ...TokenFields,
  user: Type.Object({ id: Uuid, email: Type.String(), role: Type.String() }),
});
export type SignedInResponse = Static<typeof SignedInResponse>;
export const TokensResponse = Type.Object(TokenFields);
export type TokensResponse = Static<typeof TokensResponse>;

export const TotpStarted = Type.Object({
  secret: Type.String({ description: 'The secret in base32, for apps that cannot read the QR code.' }),
  uri: Type.String({ description: 'The `otpauth://` address that the QR code shows.' }),
});
export type TotpStarted = Static<typeof TotpStarted>;
export const TotpConfirmBody = Type.Object({ code: Type.String() });
export const TotpConfirmed = Type.Object({
  recovery_codes: Type.Array(Type.String(), { description: 'Shown only in this answer; each works once.' }),
});
export type TotpConfirmed = Static<typeof TotpConfirmed>;

export const BootstrapResponse = Type.Object({
  bootstrap_pending: Type.Boolean({ description: 'Whether there is no account yet.' }),
  registration_mode: Type.String({
    description: '`open`, `invite_only` or `closed`; the first account is always allowed.',
  }),
  mail: Type.Boolean({ description: 'Whether the server sends mails, for example with a link to a new password.' }),
  methods: Type.Array(SignInMethod, { description: 'Ways to sign in that the server offers at this address.' }),
  oidc: Nullable(Type.Object({ name: Type.String({ description: 'Name of the OpenID Connect provider.' }) })),
});
export type BootstrapResponse = Static<typeof BootstrapResponse>;

export const SessionMethod = Type.Enum(
  ['password', 'passkey', 'totp', 'recovery_code', 'oidc', 'login_link', 'command_line'],
  { description: 'The last step of the sign-in.' },
);
export type SessionMethod = Static<typeof SessionMethod>;

export const Session = Type.Object({
  id: Uuid,
  current: Type.Boolean({ description: 'Whether it is the session of this request.' }),
  created_at: Timestamp,
  last_used_at: Type.String({
    format: 'date-time',
    description: 'When it was refreshed last, which a client in use does every quarter of an hour.',
  }),
  ip: Nullable(
    Type.String({ description: 'Address from which it was refreshed last; null for one of the command line.' }),
  ),
  user_agent: Nullable(Type.String()),
  method: SessionMethod,
});
export type Session = Static<typeof Session>;
export const SessionsResponse = Type.Object({
  sessions: Type.Array(Session, { description: 'What was used last first.' }),
});
export type SessionsResponse = Static<typeof SessionsResponse>;
