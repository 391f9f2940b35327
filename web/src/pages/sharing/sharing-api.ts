import type {
  InvitationMade,
  Member,
  MemberChanged,
  MembersResponse,
  NewInvitation,
} from '@notevault/protocol/members.ts';
import type { Vault, VaultResponse } from '@notevault/protocol/vaults.ts';
import { queryOptions } from '@tanstack/react-query';
import { keys } from '../../data/keys.ts';
import { transport } from '../../session/app-session.ts';

/** Others accept invitations while the list is shown. */
const CHECK_MS = 10_000;

/** Lists a vault's members, and for its owner the pending invitations. */
export function membersQuery(vault: string) {
  return queryOptions({
    queryKey: keys.members(vault),
    queryFn: () => transport.json<MembersResponse>({ method: 'GET', path: `/vaults/${vault}/members` }),
    refetchInterval: CHECK_MS,
  });
}

/** The operations on the people of a vault. */
export const sharing = {
  invite: (vault: string, json: NewInvitation) =>
    transport.json<InvitationMade>({
      method: 'POST',
      path: `/vaults/${vault}/invitations`,
      json,
      repeatable: false,
    }),
  withdraw: (vault: string, id: string) =>
    transport.send({ method: 'DELETE', path: `/vaults/${vault}/invitations/${id}` }),
  async changeRole(vault: string, person: string, role: Member['role']): Promise<Member> {
    const path = `/vaults/${vault}/members/${person}`;
    return (await transport.json<MemberChanged>({ method: 'PATCH', path, json: { role } })).member;
  },
  remove: (vault: string, person: string) =>
    transport.send({ method: 'DELETE', path: `/vaults/${vault}/members/${person}` }),
  /** Becomes a member; again by a member, it answers the same. */
  async accept(token: string): Promise<Vault> {
    const path = `/invitations/${encodeURIComponent(token)}/accept`;
    return (await transport.json<VaultResponse>({ method: 'POST', path })).vault;
  },
};
