/**
 * A blob known to this database. Its row is written before the first byte is stored and deleted after the last byte is
 * removed. So every stored byte has a row, and leftovers of a crash can be found.
 */
export interface AttachmentBlobRow {
  vault_id: string;
  id: string;
  /**
   * `pending`: being stored, or left by an aborted upload. `committed`: at least one attachment has it. `deleting`: no
   * attachment has it or will ever get it; its bytes are removed before its row.
   */
  state: string;
  /** When it entered this state, epoch milliseconds; 0 for an abandoned upload, whose bytes can be removed at once. */
  since: number;
  /** Blind index of the SHA-256 of a committed blob's bytes, else null: equal bytes in a vault are stored once. */
  hash_key: Buffer | null;
  /** Size before sealing; 0 while pending. */
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
