import type { UserId, VaultId } from '@notevault/protocol/values/ids.ts';

/** A read-only page of a note or a folder, which anyone with its address may open. */
export interface PublicLinkRow {
  id: string;
  vault_id: VaultId;
  token_hash: Buffer;
  /** The note that the page shows; null for a folder. */
  note_id: string | null;
  /** The folder whose notes the pages show; null for a note. */
  folder_id: string | null;
  /** The hash of its password, sealed under the vault’s key; null without one. */
  password: Buffer | null;
  created_by: UserId;
  created_at: number;
  /** Null for one that does not expire. */
  expires_at: number | null;
  /** When its page was last opened, accurate to about a minute; null if never. */
  last_used_at: number | null;
}

export interface PublicLinksTables {
  public_links: PublicLinkRow;
}

export const publicLinksDdl = `
create table public_links (
  id uuid primary key,
  vault_id uuid not null references vaults (id) on delete cascade,
  token_hash bytea not null unique,
  note_id uuid,
  folder_id uuid,
  password bytea,
  created_by uuid not null,
  created_at bigint not null,
  expires_at bigint,
  last_used_at bigint,
  check ((note_id is null) <> (folder_id is null))
);
create index public_links_of_vault on public_links (vault_id, created_at);
create index public_links_expiring on public_links (expires_at);
`;
