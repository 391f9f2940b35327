import type { AdminHealth, AdminInvite, AdminUser as AdminUserBody } from '@notevault/protocol/admin.ts';
import * as schema from '@notevault/protocol/admin.ts';
import { IdParams } from '@notevault/protocol/values/schemas.ts';
import { isoTime, isoTimeOrNull } from '@notevault/protocol/values/time.ts';
import { type Route, route } from '../../../http/route.ts';
import type { Invite } from '../../content/accounts/accounts.ts';
import type { Mails } from '../../content/mails/mails.ts';
import type { Admin, AdminUser } from './admin.ts';

export function adminRoutes(admin: Admin): Route[] {
  return [...userRoutes(admin), ...inviteRoutes(admin), healthRoute(admin)];
}

function userRoutes(admin: Admin): Route[] {
  return [
    route({
      method: 'GET',
      path: '/admin/users',
      operation: 'adminListUsers',
      summary: 'The accounts of this server, with counts and sizes',
      query: schema.AdminUsersQuery,
      responses: { 200: schema.AdminUsersPage },
      errors: ['invalid_cursor'],
      handle: async ({ query }) => {
        const { users, next } = await admin.users(query.cursor);
        return { body: { users: users.map(adminUserView), next_cursor: next } };
      },
    }),
    route({
      method: 'PATCH',
      path: '/admin/users/:id',
      operation: 'adminUpdateUser',
      summary: 'Change the plan or role of an account, or suspend it',
      params: IdParams,
      body: schema.AdminUserChange,
      responses: { 200: schema.AdminUserResponse },
      errors: ['user_not_found', 'last_admin'],
      handle: async ({ principal, params, body }) => ({
        body: { user: adminUserView(await admin.updateUser(principal, params.id, body)) },
      }),
    }),
    route({
      method: 'DELETE',
      path: '/admin/users/:id',
      operation: 'adminDeleteUser',
      summary: 'Delete an account and everything that belongs to it',
      params: IdParams,
      body: schema.AdminDeleteUser,
      responses: { 204: null },
      errors: [
        ...(['user_not_found', 'last_admin', 'owns_shared_vaults', 'password_required'] as const),
        ...(['invalid_password', 'delete_failed'] as const),
      ],
      handle: ({ principal, params, body }) => admin.deleteUser(principal, params.id, body?.password),
    }),
  ];
}

function inviteRoutes({ invites }: Admin): Route[] {
  return [
    route({
      method: 'GET',
      path: '/admin/invites',
      operation: 'adminListInvites',
      summary: 'The invites that were not used yet',
      responses: { 200: schema.AdminInvites },
      handle: async () => ({ body: { invites: (await invites.listInvites()).map(inviteView) } }),
    }),
    route({
      method: 'POST',
      path: '/admin/invites',
      operation: 'adminCreateInvite',
      summary: 'Make an invite to register, valid for a week',
      body: schema.NewAdminInvite,
      responses: { 201: schema.AdminInviteCreated },
      errors: ['email_and_password_required'],
      handle: async ({ principal, body }) => {
        const { token, ...invite } = await invites.createInvite(body.email, principal.userId);
        // No cache may store a token.
        return { headers: { 'cache-control': 'no-store' }, body: { ...inviteView(invite), token } };
      },
    }),
    route({
      method: 'DELETE',
      path: '/admin/invites/:id',
      operation: 'adminDeleteInvite',
      summary: 'Withdraw an invite',
      params: IdParams,
      responses: { 204: null },
      errors: ['invite_not_found'],
      handle: ({ params }) => invites.deleteInvite(params.id),
    }),
  ];
}

function healthRoute(admin: Admin): Route {
  return route({
    method: 'GET',
    path: '/admin/health',
    operation: 'adminHealth',
    summary: 'The state of the server and its totals',
    responses: { 200: schema.AdminHealth },
    handle: async () => ({ body: healthView(await admin.health()) }),
  });
}

function adminUserView(user: AdminUser): AdminUserBody {
  const { totals } = user;
  return {
    id: user.id,
    email: user.email,
    display_name: user.display_name,
    role: user.role,
    plan: user.plan,
    created_at: isoTime(user.created_at),
    suspended_at: isoTimeOrNull(user.suspended_at),
    vault_count: totals.vaults,
    note_count: totals.notes,
    attachment_count: totals.attachments,
    used_bytes: totals.bytes,
    session_count: user.sessions,
    second_factor: user.hasSecondFactor,
    passkeys: user.passkeys,
  };
}

function inviteView({ id, email, created_at, expires_at }: Invite): AdminInvite {
  return { id, email, created_at: isoTime(created_at), expires_at: isoTime(expires_at) };
}

function mailView({ isOn, waiting, failedAt, reason, dropped, droppedAt }: Awaited<ReturnType<Mails['state']>>) {
  return {
    mail: isOn,
    mails_waiting: waiting,
    mail_failed_at: isoTimeOrNull(failedAt),
    mail_failure: reason,
    mails_dropped: dropped,
    mail_dropped_at: isoTimeOrNull(droppedAt),
  };
}

function healthView(health: Awaited<ReturnType<Admin['health']>>): AdminHealth {
  const { totals } = health;
  return {
    status: 'ok',
    version: health.version,
    uptime_seconds: Math.floor((health.now - health.startedAt) / 1000),
    database: health.engine,
    memory_bytes: process.memoryUsage.rss(),
    registration_mode: health.registrationMode,
    plans: health.plans,
    users: health.users,
    suspended_users: health.suspended,
    sessions: health.sessions,
    vaults: totals.vaults,
    notes: totals.notes,
    attachments: totals.attachments,
    attachment_bytes: totals.bytes,
    last_backup_at: isoTimeOrNull(health.backups.takenAt),
    backup_failed_at: isoTimeOrNull(health.backups.failure?.at ?? null),
    ...mailView(health.mails),
  };
}
