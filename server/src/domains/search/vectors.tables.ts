import type { VaultId } from '@notevault/protocol/ids.ts';

/** The vectors of a note, or that it has none because they could not be made. */
export interface SearchVectorsRow {
  vault_id: VaultId;
  note_id: string;
  /** The embedder's space: vectors of another say nothing beside these. */
  model: string;
  /** The note's version that they are of. */
  version: number;
  /** Grows with every write of the vault's vectors: what holds them in memory reads on from the last it knows. */
  vseq: number;
  /** Sealed, see PackedVectors; null when they could not be made. */
  data: Buffer | null;
  /** How often making them failed; 0 once they are there. */
  failures: number;
  /** When it is tried again, epoch milliseconds; null when they are there. */
  retry_at: number | null;
}

/** How far a vault's notes are embedded, and who is at it. */
export interface SearchEmbeddingRow {
  vault_id: VaultId;
  /** The embedder's space; of another, everything is still to do. */
  model: string;
  /** The feed's epoch: seqs of another say nothing. */
  feed_epoch: number;
  /** The vault's seq up to which each note has its vectors, or has failed. */
  seq: number;
  /** The last vseq taken. */
  vseq: number;
  /** The process that is at it; null for none. */
  lease: string | null;
  /** Until when nobody else may be, epoch milliseconds. */
  lease_until: number;
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
  foreign key (vault_id, note_id) references notes (vault_id, id) on delete cascade
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
