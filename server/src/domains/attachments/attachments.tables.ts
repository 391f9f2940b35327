/** An attachment, live or a tombstone. What its bytes are, and where, is in `meta`, sealed. */
export interface AttachmentRow {
  vault_id: string;
  /** UUIDv7, the same through replacing and renaming; an attachment put where one was deleted has a new one. */
  id: string;
  /** The vault's change sequence at the row's last write. */
  seq: number;
  /** Grows with every write of the row: what was prepared from one revision is not written over another. */
  revision: number;
  /** The folder it lies in; null at the root, and meaningless for a tombstone. */
  folder_id: string | null;
  /** Blind index of the folded path, also of the last path of a tombstone. */
  path_key: Buffer;
  /** Blind index of the folded file name, comparable with `notes.name_key`: what a link's target is looked up by. */
  name_key: Buffer;
  /** Where its bytes are; null for a tombstone. The foreign key keeps them there. */
  blob_id: string | null;
  /** Bytes of the file. */
  size_bytes: number;
  /** Client mtime, epoch seconds. */
  mtime: number;
  created_at: number;
  updated_at: number;
  /** Epoch milliseconds; null while it is live. */
  deleted_at: number | null;
  /** Sealed JSON: path, hash, media type. */
  meta: Buffer;
}

/**
 * A blob that this database knows of. The row is written before the first byte is stored and goes after the last one is
 * removed: so nothing is stored that no row tells of, and what a crash leaves is found here.
 */
export interface AttachmentBlobRow {
  vault_id: string;
  id: string;
  /**
   * `pending`: being stored, or left by an upload that was cut off. `committed`: at least one attachment has it. `deleting`: no
   * attachment has it or ever will, and its bytes are removed before the row is.
   */
  state: string;
  /** When it came to this state, epoch milliseconds; 0 for a given up upload, whose bytes can go at once. */
  since: number;
  /** Blind index of the SHA-256 of the bytes while they are kept, else null: equal bytes of a vault are stored once. */
  hash_key: Buffer | null;
  /** Bytes before sealing; 0 while coming. */
  size_bytes: number;
}

export interface AttachmentsTables {
  attachments: AttachmentRow;
  attachment_blobs: AttachmentBlobRow;
}

export const attachmentsDdl = `
create table attachment_blobs (
  vault_id uuid not null references vaults (id),
  id uuid not null,
  state text not null check (state in ('pending', 'committed', 'deleting')),
  since bigint not null,
  hash_key bytea check ((hash_key is null) = (state <> 'committed')),
  size_bytes bigint not null,
  primary key (vault_id, id)
);
create unique index attachment_blobs_by_hash on attachment_blobs (vault_id, hash_key) where hash_key is not null;
create index attachment_blobs_uncommitted on attachment_blobs (state, since) where hash_key is null;
create table attachments (
  vault_id uuid not null references vaults (id),
  id uuid not null,
  seq bigint not null,
  revision bigint not null,
  folder_id uuid,
  path_key bytea not null,
  name_key bytea not null,
  blob_id uuid check ((blob_id is null) = (deleted_at is not null)),
  size_bytes bigint not null,
  mtime double precision not null,
  created_at bigint not null,
  updated_at bigint not null,
  deleted_at bigint,
  meta bytea not null,
  primary key (vault_id, id),
  foreign key (vault_id, blob_id) references attachment_blobs (vault_id, id)
);
create unique index attachments_by_seq on attachments (vault_id, seq);
create index attachments_by_folder on attachments (vault_id, folder_id) where deleted_at is null;
create index attachments_by_name on attachments (vault_id, name_key) where deleted_at is null;
create index attachments_by_deletion on attachments (deleted_at, id) where deleted_at is not null;
create index attachments_by_blob on attachments (vault_id, blob_id) where blob_id is not null;
`;
