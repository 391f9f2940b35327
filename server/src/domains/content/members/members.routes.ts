import * as schema from '@notevault/protocol/members.ts';
import { VaultParams } from '@notevault/protocol/vaults.ts';
import { type Route, route } from '../../../http/route.ts';
import type { Members } from './members.ts';

const OWNERS = ['vault_not_found', 'owner_required'] as const;

export function membersRoutes(members: Members): Route[] {
  return [...peopleRoutes(members), ...invitationRoutes(members)];
}

function peopleRoutes(members: Members): Route[] {
  return [
    route({
      method: 'GET',
      path: '/vaults/:id/members',
      operation: 'listMembers',
      summary: 'Who has a vault, its owner first; for the owner also its invitations',
      params: schema.MembersParams,
      responses: { 200: schema.MembersResponse },
      errors: ['vault_not_found'],
      handle: async ({ principal, params }) => ({ body: await members.list(principal, params.id) }),
    }),
    route({
      method: 'PATCH',
      path: '/vaults/:id/members/:user_id',
      operation: 'updateMember',
      summary: 'Change the role of a member; `owner` hands the vault over',
      params: schema.MemberParams,
      body: schema.ChangeMember,
      responses: { 200: schema.MemberChanged },
      errors: [...OWNERS, 'member_not_found', 'owner_cannot_leave', 'limit_exceeded', 'step_up_required'],
      handle: async ({ principal, params, body }) => ({
        body: { member: await members.change(principal, params.id, params.user_id, body.role) },
      }),
    }),
    route({
      method: 'DELETE',
      path: '/vaults/:id/members/:user_id',
      operation: 'removeMember',
      summary: 'Remove a member; members may remove themselves',
      params: schema.MemberParams,
      responses: { 204: null },
      errors: [...OWNERS, 'member_not_found', 'owner_cannot_leave'],
      handle: ({ principal, params }) => members.remove(principal, params.id, params.user_id),
    }),
    route({
      method: 'POST',
      path: '/admin/vaults/:id/hand-over',
      operation: 'adminHandOver',
      summary: 'Make a member the owner of a vault',
      params: VaultParams,
      body: schema.HandOverBody,
      responses: { 204: null },
      errors: ['vault_not_found', 'account_not_found', 'member_not_found', 'limit_exceeded'],
      handle: ({ params, body }) => members.handOver(params.id, body.email),
    }),
  ];
}

function invitationRoutes({ invitations }: Members): Route[] {
  return [
    route({
      method: 'POST',
      path: '/vaults/:id/invitations',
      operation: 'createInvitation',
      summary: 'Invite people to a vault; the address to send them is in this answer only',
      params: VaultParams,
      body: schema.NewInvitation,
      responses: { 201: schema.InvitationMade },
      errors: [...OWNERS, 'too_many_members'],
      handle: async ({ principal, params, body }) => ({ body: await invitations.create(principal, params.id, body) }),
    }),
    route({
      method: 'DELETE',
      path: '/vaults/:id/invitations/:invitation_id',
      operation: 'deleteInvitation',
      summary: 'Withdraw an invitation',
      params: schema.InvitationParams,
      responses: { 204: null },
      errors: [...OWNERS, 'invitation_not_found'],
      handle: ({ principal, params }) => invitations.withdraw(principal, params.id, params.invitation_id),
    }),
    route({
      method: 'GET',
      path: '/invitations/:token',
      operation: 'getInvitation',
      summary: 'What an invitation is for; looking at it uses nothing up',
      params: schema.InvitationToken,
      responses: { 200: schema.InvitationShown },
      errors: ['invitation_invalid'],
      handle: async ({ params }) => ({ body: await invitations.preview(params.token) }),
    }),
    route({
      method: 'POST',
      path: '/invitations/:token/accept',
      operation: 'acceptInvitation',
      summary: 'Become a member of the vault of an invitation',
      params: schema.InvitationToken,
      responses: { 200: schema.VaultJoined },
      errors: ['invitation_invalid', 'invitation_for_another', 'too_many_members', 'vault_unreadable'],
      handle: async ({ principal, params }) => ({
        body: { vault: await invitations.accept(principal, params.token) },
      }),
    }),
  ];
}
