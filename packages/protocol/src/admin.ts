import { type Static, Type } from 'typebox';
import { Nullable, sentAlways, Timestamp, Unchecked, Uuid } from './values/schemas.ts';

const Role = Type.Enum(['admin', 'member']);

/** Counts and sizes of an account; nothing that it wrote. */
export const AdminUser = Type.Object({
  id: Uuid,
  email: Type.String(),
  display_name: Nullable(Type.String()),
  role: Role,
  plan: Type.String(),
  created_at: Timestamp,
  suspended_at: Nullable(Timestamp),
  vault_count: Type.Integer(),
  note_count: Type.Integer(),
  attachment_count: Type.Integer(),
  used_bytes: Type.Integer({ description: 'Bytes of its attachments.' }),
  session_count: Type.Integer(),
  second_factor: Type.Boolean({ description: 'Whether its password alone does not sign in.' }),
  passkeys: Type.Integer({ description: 'Passkeys of the account.' }),
});
export type AdminUser = Static<typeof AdminUser>;

export const AdminUsersQuery = Type.Object({
  cursor: Type.Optional(Type.String({ description: 'The `next_cursor` of the page before.' })),
});
export const AdminUsersPage = Type.Object({
  users: Type.Array(AdminUser, { description: 'In the order of their creation, up to 100.' }),
  next_cursor: Nullable(Type.String({ description: 'Cursor of the next page; null on the last page.' })),
});
export type AdminUsersPage = Static<typeof AdminUsersPage>;

export const AdminUserChange = Type.Object({
  plan: Type.Optional(Type.String()),
  suspended: Type.Optional(Type.Boolean({ description: 'A suspended account is refused, whatever the credential.' })),
  role: Type.Optional(Role),
});
export type AdminUserChange = Static<typeof AdminUserChange>;
export const AdminUserResponse = Type.Object({ user: AdminUser });
export type AdminUserResponse = Static<typeof AdminUserResponse>;

export const AdminDeleteUser = Unchecked<{ password?: unknown }>({
  password: sentAlways(Type.String({ description: 'The password of the admin, not of the account.' })),
});

const InviteFields = {
  id: Uuid,
  email: Nullable(Type.String({ description: 'The only e-mail that may use it; null for any.' })),
  created_at: Timestamp,
  expires_at: Timestamp,
};
export const AdminInvite = Type.Object(InviteFields);
export type AdminInvite = Static<typeof AdminInvite>;
export const AdminInvites = Type.Object({
  invites: Type.Array(AdminInvite, { description: 'Those that can be used, the latest first.' }),
});
export type AdminInvites = Static<typeof AdminInvites>;
export const NewAdminInvite = Type.Object({ email: Type.Optional(Nullable(Type.String())) });
export const AdminInviteCreated = Type.Object({
  ...InviteFields,
  token: Type.String({ description: 'Shown only in this answer.' }),
});
export type AdminInviteCreated = Static<typeof AdminInviteCreated>;

export const AdminHealth = Type.Object({
  status: Type.String({ description: '`ok`; a server that cannot reach its database answers 503 instead.' }),
  version: Type.String(),
  uptime_seconds: Type.Integer(),
  database: Type.Enum(['sqlite', 'postgres']),
  memory_bytes: Type.Integer({ description: 'Resident memory of this process.' }),
  registration_mode: Type.String(),
  plans: Type.Array(Type.String()),
  users: Type.Integer(),
  suspended_users: Type.Integer(),
  sessions: Type.Integer(),
  vaults: Type.Integer(),
  notes: Type.Integer(),
  attachments: Type.Integer(),
  attachment_bytes: Type.Integer(),
  last_backup_at: Nullable(Timestamp),
  backup_failed_at: Nullable({ ...Timestamp, description: 'When the last backup failed; null if it ended well.' }),
  mail: Type.Boolean({ description: 'Whether the server sends mails.' }),
  mails_waiting: Type.Integer(),
  mail_failed_at: Nullable({
    ...Timestamp,
    description: 'When the last attempt failed; null if the last one did not.',
  }),
  mail_failure: Nullable(Type.String({ description: '`unreachable`, `sign_in_refused` or `mail_refused`.' })),
  mails_dropped: Type.Integer({ description: 'Mails that were never sent: refused, or not sent for a day.' }),
  mail_dropped_at: Nullable(Timestamp),
});
export type AdminHealth = Static<typeof AdminHealth>;
