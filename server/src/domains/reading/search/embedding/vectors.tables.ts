import type { VaultId } from '@notevault/protocol/values/ids.ts';

/** The vectors of a note, or a record that they could not be made. */
export interface SearchVectorsRow {
  vault_id: VaultId;
  note_id: string;
  /** The embedder’s space. Vectors of another space cannot be compared with these. */
  model: string;
  /** The version of the note from which the vectors were made. */
  version: number;
  /** Grows with every write of the vault’s vectors, so that a reader can continue from the last one it has. */
  vseq: number;
  /** Sealed, see packVectors; null when the vectors could not be made. */
  data: Buffer | null;
  /** How many attempts failed; 0 once there are vectors. */
  failures: number;
  /** When to retry, epoch milliseconds; null once there are vectors. */
  retry_at: number | null;
}

/** The progress of embedding a vault’s notes, and the process that does it. */
export interface SearchEmbeddingRow {
  vault_id: VaultId;
  /** The embedder’s space. After a change of the space all notes are embedded again. */
  model: string;
  /** The epoch of the change feed that `seq` belongs to. */
  feed_epoch: number;
  /** The vault’s seq up to which each note has vectors or has failed. */
  seq: number;
  /** The highest vseq in use. */
  vseq: number;
  /** The process that holds the lease; null for none. */
  lease: string | null;
  /** When the lease ends, epoch milliseconds. */
  lease_until: number;
  /** When vectors were last requested, to the hour, in epoch milliseconds; 0 if never, and with a configured model. */
  wanted_at: number;
}

export interface VectorsTables {
  search_vectors: SearchVectorsRow;
  search_embeddings: SearchEmbeddingRow;
}

export const vectorsDdl = `
create table search_vectors (
  vault_id uuid not null,
  note_id uuid not null,
  model text not null,
  version bigint not null,
  vseq bigint not null,
  data bytea,
  failures bigint not null,
  retry_at bigint,
  primary key (vault_id, note_id),
  foreign key (vault_id, note_id) references entries (vault_id, id) on delete cascade
);
create index search_vectors_by_vseq on search_vectors (vault_id, vseq);
create index search_vectors_to_retry on search_vectors (retry_at) where retry_at is not null;
create table search_embeddings (
  vault_id uuid primary key references vaults (id) on delete cascade,
  model text not null,
  feed_epoch bigint not null,
  seq bigint not null,
  vseq bigint not null,
  lease uuid,
  lease_until bigint not null
);
`;

/** The second step of the schema. */
export const wantedVectorsDdl = `
alter table search_embeddings add column wanted_at bigint not null default 0;
create index search_embeddings_by_use on search_embeddings (wanted_at) where seq > 0;
`;
