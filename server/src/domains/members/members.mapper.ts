import type * as wire from '@notevault/protocol/members.ts';
import { isoTime } from '@notevault/protocol/values/time.ts';
import type { InvitationPreview, OpenInvitation } from './invitations.ts';
import type { Member, MemberList } from './members.ts';

export function memberView({ userId, displayName, email, role, since }: Member): wire.Member {
  const address = email === null ? {} : { email };
  return { user_id: userId, display_name: displayName, ...address, role, since: isoTime(since) };
}

export function membersView({ members, invitations }: MemberList): wire.MembersResponse {
  const list = { members: members.map(memberView) };
  return invitations === null ? list : { ...list, invitations: invitations.map(invitationView) };
}

export function invitationView(invitation: OpenInvitation): wire.Invitation {
  const { id, email, role, createdAt, expiresAt, usesLeft } = invitation;
  return { id, email, role, created_at: isoTime(createdAt), expires_at: isoTime(expiresAt), uses_left: usesLeft };
}

export function previewView(preview: InvitationPreview): wire.InvitationShown {
  const { vaultName, invitedBy, role, expiresAt, registers } = preview;
  return { vault_name: vaultName, invited_by: invitedBy, role, expires_at: isoTime(expiresAt), registers };
}
