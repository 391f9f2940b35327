import * as schema from '@notevault/protocol/admin.ts';
import { IdParams } from '@notevault/protocol/values/schemas.ts';
import { type Route, route } from '../../http/route.ts';
import { adminUserView, healthView, inviteView } from './admin.mapper.ts';
import type { Admin } from './admin.ts';

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
      errors: ['user_not_found', 'last_admin', 'password_required', 'invalid_password', 'delete_failed'],
      handle: async ({ principal, params, body }) => {
        await admin.deleteUser(principal, params.id, body?.password);
        return {};
      },
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
      handle: async ({ body }) => {
        const { token, ...invite } = await invites.createInvite(body.email);
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
      handle: async ({ params }) => {
        await invites.deleteInvite(params.id);
        return {};
      },
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
