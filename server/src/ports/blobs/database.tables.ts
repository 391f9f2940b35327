import type { BlobId, VaultId } from '@notevault/protocol/ids.ts';

/** A blob that is kept in the database: one being put, one that is stored, or one of which the rest is to be removed. */
export interface BlobRow {
  vault_id: VaultId;
  blob_id: BlobId;
  /** How many rows of `blob_chunks` it has by now. */
  chunks: number;
  /** When the last chunk came, in ms since the epoch: without a sign for long, its put is dead. 0: to be removed. */
  touched_at: number;
  /** When it was stored, in ms since the epoch. Null: nobody may see it, for it is not whole. */
  stored_at: number | null;
}

/** Sealed bytes of a blob: all chunks but the last hold 256 KB. */
export interface BlobChunkRow {
  vault_id: VaultId;
  blob_id: BlobId;
  /** From 0. */
  n: number;
  bytes: Buffer;
}

export interface BlobTables {
  blobs: BlobRow;
  blob_chunks: BlobChunkRow;
}

export const blobsDdl = `
create table blobs (
  vault_id uuid not null,
  blob_id uuid not null,
  chunks bigint not null,
  touched_at bigint not null,
  stored_at bigint,
  primary key (vault_id, blob_id)
);
create index blobs_not_whole on blobs (touched_at) where stored_at is null;
create table blob_chunks (
  vault_id uuid not null,
  blob_id uuid not null,
  n bigint not null,
  bytes bytea not null,
  primary key (vault_id, blob_id, n)
);
`;
