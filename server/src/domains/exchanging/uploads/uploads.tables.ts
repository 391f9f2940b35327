import type { BlobId, UserId, VaultId } from '@notevault/protocol/values/ids.ts';

export type UploadState = 'open' | 'done' | 'refused';

/** An upload in slices. */
export interface UploadRow {
  id: string;
  user_id: UserId;
  vault_id: VaultId;
  /** The credential that began it; only this one may continue it. */
  credential_kind: string;
  credential_id: string;
  /** `done`: it has become an attachment. `refused`: the attachment was refused. */
  state: UploadState;
  /** Bytes of the whole file; reserved while it is open. */
  length_bytes: number;
  /** Stored bytes; equal to the total exactly when the upload is done. */
  received_bytes: number;
  /** Path, time and conditions of the attachment, sealed under the vault's key. */
  meta: Buffer;
  /** The attachment that it has become, and its last slice, sealed; null until it is done. */
  outcome: Buffer | null;
  expires_at: number;
  /** When it began, or its last bytes arrived. */
  progressed_at: number;
}

/** A part of an open upload: received bytes from an offset on, stored as a blob without an attachment. */
export interface UploadPartRow {
  upload_id: string;
  from_byte: number;
  size_bytes: number;
  blob_id: BlobId;
}

export interface UploadsTables {
  uploads: UploadRow;
  upload_parts: UploadPartRow;
}

export const uploadsDdl = `
create table uploads (
  id uuid primary key,
  user_id uuid not null references users (id) on delete cascade,
  vault_id uuid not null references vaults (id) on delete cascade,
  credential_kind text not null,
  credential_id text not null,
  state text not null check (state in ('open', 'done', 'refused')),
  length_bytes bigint not null,
  received_bytes bigint not null,
  meta bytea not null,
  outcome bytea,
  expires_at bigint not null
);
create index uploads_of_user on uploads (user_id, vault_id);
create index uploads_of_vault on uploads (vault_id);
create index uploads_expiring on uploads (expires_at);
create table upload_parts (
  upload_id uuid not null references uploads (id) on delete cascade,
  from_byte bigint not null,
  size_bytes bigint not null,
  blob_id uuid not null,
  primary key (upload_id, from_byte)
);
`;

/** Uploads that were open before this step count as if they had begun and gone no further. */
export const uploadProgressDdl = `
alter table uploads add column progressed_at bigint not null default 0;
update uploads set progressed_at = expires_at - 86400000 where state = 'open';
`;
