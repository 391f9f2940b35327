import type { UserId, VaultId } from '@notevault/protocol/values/ids.ts';
import { picked, statementsOver } from '../../../ports/database/statement.ts';
import type { IdempotencyTables, IdempotentResponseRow } from './idempotency.tables.ts';

const { statement, table } = statementsOver<IdempotencyTables>();
const responses = table('idempotent_responses');

export const findResponse = statement((db, p: { vault: VaultId; user: UserId; keyBlind: Buffer; after: number }) =>
  db
    .selectFrom('idempotent_responses')
    .select(['request_mac', 'response'])
    .where('vault_id', '=', p.vault)
    .where('user_id', '=', p.user)
    .where('key_blind', '=', p.keyBlind)
    .where('created_at', '>', p.after),
);

/** Changes no row when a valid answer exists; overwrites an expired one. Waits for others that write this row. */
export const insertResponse = statement((db, p: IdempotentResponseRow & { after: number }) =>
  db
    .insertInto('idempotent_responses')
    .values(picked(p, ['vault_id', 'user_id', 'key_blind', 'request_mac', 'response', 'created_at']))
    .onConflict((conflict) =>
      conflict
        .columns(['vault_id', 'user_id', 'key_blind'])
        .doUpdateSet({ request_mac: p.request_mac, response: p.response, created_at: p.created_at })
        .where('idempotent_responses.created_at', '<=', p.after),
    ),
);

export const deleteExpired = statement((db, p: { until: number; limit: number }) =>
  db
    .deleteFrom('idempotent_responses')
    .where('created_at', '<=', p.until)
    .where('key_blind', 'in', (eb) =>
      eb
        .selectFrom('idempotent_responses')
        .select('key_blind')
        .where('created_at', '<=', p.until)
        .orderBy('created_at')
        .limit(p.limit),
    ),
);

export const purgeOfVault = responses.deleteSome(['vault_id'], 'key_blind');

export const purgeOfUser = responses.delete('vault_id', 'user_id');
