import type { UserId, VaultId } from '@notevault/protocol/values/ids.ts';
import type { PermissionLevel } from '../../foundation/access/access.ts';

/** `pat` means personal access tokens and API keys alike. */
export type ConnectionKind = 'pat' | 'oauth' | 'device';

/** A permission to act for an account without its password: a key, an OAuth grant, a linked device. */
export interface ConnectionRow {
  user_id: UserId;
  id: string;
  kind: ConnectionKind;
  /** Its name, sealed under the server's key; null once it was revoked. */
  name: Buffer | null;
  /** Level on every vault without a row in `connection_permissions`, including later ones. */
  default_permission: PermissionLevel;
  /** Words separated by spaces, as granted; null when no scope restricts it. */
  scope: string | null;
  /** SHA-256 of a key's secret; null for the other kinds, whose tokens change and have their own tables. */
  secret_hash: Buffer | null;
  created_at: number;
  /** Start of the last minute in which it was used; null before its first use. */
  last_used_at: number | null;
  /** When it was revoked, for kinds that are remembered after that; a revoked key has no row. */
  revoked_at: number | null;
  /** Address of its first use, in clear; null before that. */
  first_ip: string | null;
  /** `User-Agent` of its first use, cut to 256 characters, in clear. */
  first_user_agent: string | null;
}

/** The level of a connection in one vault, where it differs from the default. */
export interface ConnectionPermissionRow {
  user_id: UserId;
  connection_id: string;
  vault_id: VaultId;
  permission: PermissionLevel;
}

export interface CredentialsTables {
  connections: ConnectionRow;
  connection_permissions: ConnectionPermissionRow;
}

// Levels are kept while their vault is deleted, because it may be restored, and are deleted when it is purged.
export const credentialsDdl = `
create table connections (
  user_id uuid not null references users (id) on delete cascade,
  id uuid not null,
  kind text not null check (kind in ('pat', 'oauth', 'device')),
  name bytea,
  default_permission text not null check (default_permission in ('none', 'read', 'write')),
  scope text,
  secret_hash bytea unique,
  created_at bigint not null,
  last_used_at bigint,
  revoked_at bigint,
  first_ip text,
  first_user_agent text,
  primary key (user_id, id)
);
create table connection_permissions (
  user_id uuid not null,
  connection_id uuid not null,
  vault_id uuid not null references vaults (id) on delete cascade,
  permission text not null check (permission in ('none', 'read', 'write')),
  primary key (user_id, connection_id, vault_id),
  foreign key (user_id, connection_id) references connections (user_id, id) on delete cascade
);
create index connection_permissions_of_vault on connection_permissions (vault_id);
`;
