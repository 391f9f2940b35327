// Tables that a released step makes and a later one removes.

/** DDL of the weight of vectors in a vault's searches. */
export const searchWeightsDdl = `
create table search_weights (
  vault_id uuid not null references vaults (id) on delete cascade,
  model text not null,
  weight double precision not null,
  primary key (vault_id, model)
);
`;

/** Some hundred rows of a vault’s lists, sealed together. */
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
