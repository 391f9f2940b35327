import type { BlobId, VaultId } from '@notevault/protocol/values/ids.ts';

/** A blob in the database: being put, stored, or partly removed. */
export interface BlobRow {
  vault_id: VaultId;
  blob_id: BlobId;
  /** Number of its rows in `blob_chunks` so far. */
  chunks: number;
  /** Time of the last chunk in ms since the epoch; long after it, the put is considered dead. 0: to be removed. */
  touched_at: number;
  /** Time when it was stored, in ms since the epoch. Null while it is incomplete and therefore invisible. */
  stored_at: number | null;
}

/** A chunk of a blob's sealed bytes; all but the last have 256 KB. */
export interface BlobChunkRow {
  vault_id: VaultId;
  blob_id: BlobId;
  /** Index of the chunk, from 0. */
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
