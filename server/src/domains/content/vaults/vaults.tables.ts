import type { Role } from '@notevault/protocol/operations.ts';
import type { UserId, VaultId } from '@notevault/protocol/values/ids.ts';

/** One vault, from its creation until it is purged. */
export interface VaultRow {
  /** UUIDv7, made by the server. */
  id: VaultId;
  user_id: UserId;
  /** 1 for the user's default vault, else 0; always 0 once deleted. */
  is_default: number;
  /** Blind value of the client's own id for the vault, under the user's key; null when no client registered it. */
  client_blind: Buffer | null;
  /** Blind value of the slug, under the user's key. */
  slug_blind: Buffer;
  /** Name, slug and description, sealed under the vault's key. */
  meta: Buffer;
  /** Increases with each write of `meta`, which is sealed for this version only. */
  meta_version: number;
  created_at: number;
  /** When it was deleted; until it is purged it can be restored. */
  deleted_at: number | null;
  /** When its purge began: the key is destroyed, and the purge is resumed until the row is gone too. */
  purging_at: number | null;
  /** 1 once it was handed over: then changes without a user id are not its current owner’s. */
  handed_over: number;
}

/** Updated by every write to a vault. A narrow table of its own, because it is the lock that puts writes in order. */
export interface VaultFeedRow {
  vault_id: VaultId;
  /** The last seq taken; 0 before the first write. */
  change_seq: number;
  /** Increases when a backup is restored: cursors and client ids of another epoch are void. */
  feed_epoch: number;
  /** The seq of the last dropped tombstone: a reader that has not read past it may have missed a deletion. */
  floor_seq: number;
  /** Live notes. */
  note_count: number;
  /** Live attachments. */
  attachment_count: number;
  /** Bytes of live attachments, which the plan limits; equal bytes count once for each attachment. */
  attachment_bytes: number;
  /**
   * Notes in the trash. Unlike the counts above, those of the trash may be negative for a moment, when a revival has
   * counted and then loses a race, which rolls it back.
   */
  trash_notes: number;
  /** Bytes of their texts. */
  trash_text_bytes: number;
  /** Bytes of the attachments in the trash; equal bytes count once for each attachment. */
  trash_attachment_bytes: number;
  /** 1 while the vault is active, else 0. Stored here too, so that locking and checking are one statement. */
  writable: number;
  /** Increases whenever a right in the vault is taken away from anybody; here, because each write has this row. */
  rights_version: number;
  /** The version of the link parser (`LINKS_VERSION`) that has read all links of the vault. */
  links_version: number;
}

/** A member of a vault, beside its owner. */
export interface VaultMemberRow {
  vault_id: VaultId;
  user_id: UserId;
  role: Exclude<Role, 'owner'>;
  /** Like `vaults.client_blind`, for the vault that the person registered when they owned it. */
  client_blind: Buffer | null;
  joined_at: number;
}

/** A former member of a vault, or a member who had a higher role in it. */
export interface FormerMemberRow {
  vault_id: VaultId;
  user_id: UserId;
  /** Their name when they left, sealed under the vault’s key. The row goes with the account. */
  name: Buffer | null;
  /** When the owner removed or lowered them; null for somebody who left. Older invitations are void for them. */
  removed_at: number | null;
}

export interface VaultsTables {
  vaults: VaultRow;
  vault_members: VaultMemberRow;
  former_members: FormerMemberRow;
  vault_feeds: VaultFeedRow;
}

// Unique among active vaults only: a deleted one frees its slug and its client id.
export const vaultsDdl = `
create table vaults (
  id uuid primary key,
  user_id uuid not null references users (id),
  is_default bigint not null,
  client_blind bytea,
  slug_blind bytea not null,
  meta bytea not null,
  meta_version bigint not null,
  created_at bigint not null,
  deleted_at bigint,
  purging_at bigint
);
create index vaults_of_user on vaults (user_id, created_at, id);
create unique index vaults_one_default on vaults (user_id) where is_default = 1;
create unique index vaults_client on vaults (user_id, client_blind) where deleted_at is null;
create unique index vaults_slug on vaults (user_id, slug_blind) where deleted_at is null;
create index vaults_deleted on vaults (deleted_at) where deleted_at is not null;
create table vault_feeds (
  vault_id uuid primary key references vaults (id) on delete cascade,
  change_seq bigint not null,
  feed_epoch bigint not null,
  floor_seq bigint not null,
  note_count bigint not null check (note_count >= 0),
  attachment_count bigint not null check (attachment_count >= 0),
  attachment_bytes bigint not null check (attachment_bytes >= 0),
  trash_notes bigint not null,
  trash_text_bytes bigint not null,
  trash_attachment_bytes bigint not null,
  writable bigint not null
);
`;

export const vaultRightsDdl = 'alter table vault_feeds add column rights_version bigint not null default 0;';

export const vaultLinksDdl = 'alter table vault_feeds add column links_version bigint not null default 0;';

export const handedOverDdl = 'alter table vaults add column handed_over bigint not null default 0;';

export const vaultMembersDdl = `
create table vault_members (
  vault_id uuid not null references vaults (id) on delete cascade,
  user_id uuid not null references users (id) on delete cascade,
  role text not null check (role in ('viewer', 'editor')),
  client_blind bytea,
  joined_at bigint not null,
  primary key (vault_id, user_id)
);
create index vault_members_of_user on vault_members (user_id);
create unique index vault_members_client on vault_members (user_id, client_blind);
create table former_members (
  vault_id uuid not null references vaults (id) on delete cascade,
  user_id uuid not null references users (id) on delete cascade,
  name bytea,
  removed_at bigint,
  primary key (vault_id, user_id)
);
create index former_members_of_user on former_members (user_id);
`;
