import type { UserId, VaultId } from '@notevault/protocol/values/ids.ts';

/** An invitation to a vault, until it expires or is withdrawn. */
export interface InvitationRow {
  id: string;
  vault_id: VaultId;
  token_hash: Buffer;
  role: 'viewer' | 'editor';
  /** The only e-mail that may accept it, sealed under the vault’s key; null for any. */
  email: Buffer | null;
  created_by: UserId;
  created_at: number;
  expires_at: number;
  uses_left: number;
}

/** A use of an invitation, so that accepting it again changes nothing. */
export interface InvitationUseRow {
  invitation_id: string;
  user_id: UserId;
}

export interface MembersTables {
  invitations: InvitationRow;
  invitation_uses: InvitationUseRow;
}

export const membersDdl = `
create table invitations (
  id uuid primary key,
  vault_id uuid not null references vaults (id) on delete cascade,
  token_hash bytea not null unique,
  role text not null check (role in ('viewer', 'editor')),
  email bytea,
  created_by uuid not null,
  created_at bigint not null,
  expires_at bigint not null,
  uses_left bigint not null check (uses_left >= 0)
);
create index invitations_of_vault on invitations (vault_id, created_at);
create index invitations_expiring on invitations (expires_at);
create table invitation_uses (
  invitation_id uuid not null references invitations (id) on delete cascade,
  user_id uuid not null references users (id) on delete cascade,
  primary key (invitation_id, user_id)
);
create index invitation_uses_of_user on invitation_uses (user_id);
`;
