import type { VaultId } from '@notevault/protocol/values/ids.ts';
import { statementsOver } from '../../../ports/database/statement.ts';
import type { TuningTables } from './tuning.tables.ts';

const { statement } = statementsOver<TuningTables>();

/** The weight that was chosen for a model in a vault. */
export const findWeight = statement((db, p: { vault: VaultId; model: string }) =>
  db.selectFrom('search_weights').select(['weight']).where('vault_id', '=', p.vault).where('model', '=', p.model),
);

export const putWeight = statement((db, p: { vault: VaultId; model: string; weight: number }) =>
  db
    .insertInto('search_weights')
    .values({ vault_id: p.vault, model: p.model, weight: p.weight })
    .onConflict((conflict) => conflict.columns(['vault_id', 'model']).doUpdateSet({ weight: p.weight })),
);

/** The default of the embedder counts again. */
export const deleteWeight = statement((db, p: { vault: VaultId; model: string }) =>
  db.deleteFrom('search_weights').where('vault_id', '=', p.vault).where('model', '=', p.model),
);
