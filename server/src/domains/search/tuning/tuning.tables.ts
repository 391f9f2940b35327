import type { VaultId } from '@notevault/protocol/values/ids.ts';

/** How much vectors count in the searches of a vault, where that is not the default of the embedder. */
export interface SearchWeightRow {
  vault_id: VaultId;
  /** The embedder’s space: the weight is that of one model. */
  model: string;
  /** 0 to 1; a score by words counts 1. */
  weight: number;
}

export interface TuningTables {
  search_weights: SearchWeightRow;
}

export const tuningDdl = `
create table search_weights (
  vault_id uuid not null references vaults (id) on delete cascade,
  model text not null,
  weight double precision not null,
  primary key (vault_id, model)
);
`;
