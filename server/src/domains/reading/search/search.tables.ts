import type { VaultId } from '@notevault/protocol/values/ids.ts';

/** A vault’s stored index. Without a row, the index is built from the notes. */
export interface SearchIndexRow {
  vault_id: VaultId;
  /** The format of the segments and their terms, see stored-index.ts. Another format is not read. */
  format: string;
  /** The epoch of the change feed that `seq` belongs to. */
  feed_epoch: number;
  /** The vault's seq up to which the segments are complete. */
  seq: number;
  /** A sealed SegmentList. */
  segments: Buffer;
}

/** A part of a segment: at most about a megabyte, so that no statement moves more than that. */
export interface SearchSegmentRow {
  vault_id: VaultId;
  /** UUIDv7. A segment that no index row names is being written, was replaced or was abandoned. */
  segment_id: string;
  part: number;
  /** The part’s bytes, sealed. */
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
