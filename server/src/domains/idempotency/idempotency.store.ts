import type { UserId, VaultId } from '@notevault/protocol/ids.ts';
import { statementsOver } from '../../engines/database/statement.ts';
import type { AnswerRow, IdempotencyTables } from './idempotency.tables.ts';

const { statement } = statementsOver<IdempotencyTables>();

export const findAnswer = statement((db, p: { vault: VaultId; user: UserId; keyBlind: Buffer; after: number }) =>
  db
    .selectFrom('answers')
    .select(['request_mac', 'answer'])
    .where('vault_id', '=', p.vault)
    .where('user_id', '=', p.user)
    .where('key_blind', '=', p.keyBlind)
    .where('created_at', '>', p.after),
);

/**
 * Changes no row when a valid answer is there already; one that expired is written over. Waits for another transaction
 * that writes the same row and has not ended.
 */
export const insertAnswer = statement((db, p: AnswerRow & { after: number }) =>
  db
    .insertInto('answers')
    .values({
      vault_id: p.vault_id,
      user_id: p.user_id,
      key_blind: p.key_blind,
      request_mac: p.request_mac,
      answer: p.answer,
      created_at: p.created_at,
    })
    .onConflict((conflict) =>
      conflict
        .columns(['vault_id', 'user_id', 'key_blind'])
        .doUpdateSet({ request_mac: p.request_mac, answer: p.answer, created_at: p.created_at })
        .where('answers.created_at', '<=', p.after),
    ),
);

export const deleteExpired = statement((db, p: { until: number; limit: number }) =>
  db
    .deleteFrom('answers')
    .where('created_at', '<=', p.until)
    .where('key_blind', 'in', (eb) =>
      eb
        .selectFrom('answers')
        .select('key_blind')
        .where('created_at', '<=', p.until)
        .orderBy('created_at')
        .limit(p.limit),
    ),
);

export const eraseOfVault = statement((db, p: { vault: VaultId; limit: number }) =>
  db
    .deleteFrom('answers')
    .where('vault_id', '=', p.vault)
    .where('key_blind', 'in', (eb) =>
      eb.selectFrom('answers').select('key_blind').where('vault_id', '=', p.vault).limit(p.limit),
    ),
);

export const eraseOfUser = statement((db, p: { vault: VaultId; user: UserId }) =>
  db.deleteFrom('answers').where('vault_id', '=', p.vault).where('user_id', '=', p.user),
);
