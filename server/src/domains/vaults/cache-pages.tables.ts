import type { VaultId } from '@notevault/protocol/ids.ts';

/**
 * Some hundred rows of a vault’s lists, opened once and sealed together: what a process that begins reads instead of
 * opening each of them. A row stands in it as it was at its seq, so a page is never wrong, only less and less needed.
 */
export interface CachePageRow {
  vault_id: VaultId;
  /** What the rows are, and their shape: pages of another shape are not read. */
  kind: string;
  /** UUIDv7: tells how old the page is. */
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
