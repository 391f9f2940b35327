import type { UserId } from '@notevault/protocol/values/ids.ts';
import { statementsOver } from '../../../ports/database/statement.ts';
import type { LogsTables } from './logs.tables.ts';

const { statement, table } = statementsOver<LogsTables>();
const records = table('log_records');

export const insertRecords = records.insertMany(
  ['user_id', 'credential_id', 'created_at'],
  ['id', 'level_blind', 'category_blind', 'record'],
);

/** A slice of the user's records that arrived before the given one, newest first. */
export const findRecords = statement((db, p: { userId: UserId; before: string; limit: number }) =>
  db
    .selectFrom('log_records')
    .select(['id', 'credential_id', 'level_blind', 'category_blind', 'record', 'created_at'])
    .where('user_id', '=', p.userId)
    .where('id', '<', p.before)
    .orderBy('id', 'desc')
    .limit(p.limit),
);

export const deleteExpired = statement((db, p: { until: number; limit: number }) =>
  db
    .deleteFrom('log_records')
    .where('created_at', '<=', p.until)
    .where('id', 'in', (eb) =>
      eb.selectFrom('log_records').select('id').where('created_at', '<=', p.until).orderBy('created_at').limit(p.limit),
    ),
);

export const purgeOfUser = records.deleteSome(['user_id'], 'id');
