import type { VaultId } from '@notevault/protocol/values/ids.ts';

/**
 * Some hundred opened rows of a vault’s lists, sealed together, which a new process reads instead of opening each row.
 * A page holds each row as of its seq, so it never becomes wrong, only less useful.
 */
export interface CachePageRow {
  vault_id: VaultId;
  /** The kind of the rows and their format; pages of another format are not read. */
  kind: string;
  /** UUIDv7, which also gives the age of the page. */
  id: string;
  /** Sealed JSON: the rows. */
  data: Buffer;
}

export interface CachePagesTables {
  cache_pages: CachePageRow;
}

export const cachePagesDdl = `
create table cache_pages (
  vault_id uuid not null references vaults (id) on delete cascade,
  kind text not null,
  id uuid not null,
  data bytea not null,
  primary key (vault_id, kind, id)
);
create index cache_pages_by_age on cache_pages (id);
`;
