import type { VaultId } from '@notevault/protocol/ids.ts';

/** What is kept of a vault's index: where it stands and which segments make it up. Without it, it is made anew. */
export interface SearchIndexRow {
  vault_id: VaultId;
  /** How segments are written and text is cut into words: of another format nothing is read. */
  format: string;
  /** The feed's epoch: seqs of another say nothing. */
  feed_epoch: number;
  /** The vault's seq up to which the segments are complete. */
  seq: number;
  /** Sealed JSON: segments with their numbers of parts, oldest first, and notes that cannot be read. */
  segments: Buffer;
}

/** A piece of a segment, so that no statement moves more than about a megabyte. */
export interface SearchSegmentRow {
  vault_id: VaultId;
  /** UUIDv7. One that no index row names is being written, or was given up. */
  segment_id: string;
  part: number;
  /** Sealed: a part of the segment's bytes. */
  data: Buffer;
}

export interface SearchTables {
  search_indexes: SearchIndexRow;
  search_segments: SearchSegmentRow;
}

export const searchDdl = `
create table search_indexes (
  vault_id uuid primary key references vaults (id) on delete cascade,
  format text not null,
  feed_epoch bigint not null,
  seq bigint not null,
  segments bytea not null
);
create table search_segments (
  vault_id uuid not null references vaults (id) on delete cascade,
  segment_id uuid not null,
  part bigint not null,
  data bytea not null,
  primary key (vault_id, segment_id, part)
);
`;
