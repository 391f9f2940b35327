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
`;
