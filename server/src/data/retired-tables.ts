// Tables that a released step makes and a later one removes.

/** How much vectors counted in the searches of a vault. */
export const searchWeightsDdl = `
create table search_weights (
  vault_id uuid not null references vaults (id) on delete cascade,
  model text not null,
  weight double precision not null,
  primary key (vault_id, model)
);
`;
