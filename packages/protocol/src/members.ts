import { type Static, Type } from 'typebox';
import { Nullable, sentId, Timestamp, Uuid } from './values/schemas.ts';
import { RoleField, Vault } from './vaults.ts';

const DAY_SECONDS = 24 * 60 * 60;
/** Lifetime of an invitation in seconds. */
export const INVITATION_SECONDS = { usual: 7 * DAY_SECONDS, max: 30 * DAY_SECONDS };
export const INVITATION_USES_MAX = 100;
/** Maximum number of members of a vault, without its owner. */
export const MEMBERS_MAX = 100;

const MemberRole = Type.Enum(['viewer', 'editor'], { description: '`viewer` reads, `editor` writes too.' });

export const MembersParams = Type.Object({ id: sentId('The vault’s id.') });
export const MemberParams = Type.Object({ id: sentId('The vault’s id.'), user_id: sentId('The person’s id.') });
export const InvitationParams = Type.Object({ id: sentId('The vault’s id.'), invitation_id: sentId() });
export const InvitationToken = Type.Object({ token: Type.String({ description: 'The token of the invitation.' }) });

export const Member = Type.Object({
  user_id: Uuid,
  display_name: Nullable(Type.String()),
  email: Type.Optional(Type.String({ description: 'For the owner, and of oneself.' })),
  role: RoleField,
  since: Timestamp,
});
export type Member = Static<typeof Member>;

export const Invitation = Type.Object({
  id: Uuid,
  email: Nullable(Type.String()),
  role: MemberRole,
  created_at: Timestamp,
  expires_at: Timestamp,
  uses_left: Type.Integer(),
});
export type Invitation = Static<typeof Invitation>;

export const MembersResponse = Type.Object({
  members: Type.Array(Member),
  invitations: Type.Optional(Type.Array(Invitation, { description: 'For the owner only.' })),
});
export type MembersResponse = Static<typeof MembersResponse>;

export const NewInvitation = Type.Object({
  role: MemberRole,
  email: Type.Optional(Nullable(Type.String({ description: 'The only e-mail whose account may accept it.' }))),
  expires_in: Type.Optional(
    Type.Integer({ minimum: 60, maximum: INVITATION_SECONDS.max, description: 'Seconds; 7 days by default.' }),
  ),
  uses: Type.Optional(Type.Integer({ minimum: 1, maximum: INVITATION_USES_MAX, description: '1 by default.' })),
});
export type NewInvitation = Static<typeof NewInvitation>;

export const InvitationMade = Type.Object({
  invitation: Invitation,
  url: Type.String({ description: 'The address to send to whoever is invited. It is shown only once.' }),
});
export type InvitationMade = Static<typeof InvitationMade>;

export const InvitationShown = Type.Object({
  vault_name: Type.String(),
  invited_by: Nullable(Type.String()),
  role: MemberRole,
  expires_at: Timestamp,
  registers: Type.Boolean({
    description:
      'Whether somebody without an account may make one with it, by sending its token as the `invite` of a registration.',
  }),
});
export type InvitationShown = Static<typeof InvitationShown>;

export const VaultJoined = Type.Object({ vault: Vault });
export const ChangeMember = Type.Object({ role: RoleField });
export const MemberChanged = Type.Object({ member: Member });
export type MemberChanged = Static<typeof MemberChanged>;

export const HandOverBody = Type.Object({ email: Type.String({ description: 'The e-mail of a member.' }) });
