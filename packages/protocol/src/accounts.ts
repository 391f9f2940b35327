import { type Static, Type } from 'typebox';
import { Nullable, Unchecked, Uuid } from './schemas.ts';

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
export type ProfileBody = Static<typeof ProfileBody>;

export const DeleteMeBody = Unchecked<{ password?: unknown }>({
  password: Type.Unknown({ description: 'The account’s password.' }),
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

const TokenFields = { access_token: Type.String(), expires_in: Type.Integer() };
export const SignedInResponse = Type.Object({
  ...TokenFields,
  user: Type.Object({ id: Uuid, email: Type.String(), role: Type.String() }),
});
export type SignedInResponse = Static<typeof SignedInResponse>;
export const TokensResponse = Type.Object(TokenFields);
export type TokensResponse = Static<typeof TokensResponse>;

export const BootstrapResponse = Type.Object({ bootstrap_pending: Type.Boolean(), registration_mode: Type.String() });
