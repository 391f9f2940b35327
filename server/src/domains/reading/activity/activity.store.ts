import type { VaultId } from '@notevault/protocol/values/ids.ts';
import type { Kysely } from 'kysely';
import { statementsOver } from '../../../ports/database/statement.ts';
import type { ActivityTables } from '../../content/activity-log/activity-log.tables.ts';

const { statement, listStatement } = statementsOver<ActivityTables>();

/** A page of a vault's rows, newest first: those before an id and after a time. */
export interface RowsBefore {
  readonly vault: VaultId;
  readonly before: string;
  readonly since: number;
  readonly limit: number;
}

const rowsBefore = (db: Kysely<ActivityTables>, p: RowsBefore) =>
  db
    .selectFrom('activity')
    .select(['id', 'item', 'person', 'action', 'count', 'at'])
    .where('vault_id', '=', p.vault)
    .where('id', '<', p.before)
    .where('at', '>', p.since)
    .orderBy('id', 'desc')
    .limit(p.limit);

/** Like `findRows`, but only the last row of each item, and still sealed. */
export const findLastRows = statement((db, p: RowsBefore) =>
  rowsBefore(db, p).where(({ not, exists, selectFrom }) =>
    not(
      exists(
        selectFrom('activity as later')
          .select('later.id')
          .where('later.vault_id', '=', p.vault)
          .whereRef('later.item', '=', 'activity.item')
          .whereRef('later.id', '>', 'activity.id'),
      ),
    ),
  ),
);

export const findRows = statement((db, p: RowsBefore) => rowsBefore(db, p).select('data'));

const rowsOfItem = (db: Kysely<ActivityTables>, p: { vault: VaultId; item: string }) =>
  db
    .selectFrom('activity')
    .select(['id', 'item', 'person', 'action', 'count', 'at', 'data'])
    .where('vault_id', '=', p.vault)
    .where('item', '=', p.item);

/** The rows of an item before an id, newest first. */
export const findItemRows = statement((db, p: { vault: VaultId; item: string; before: string; limit: number }) =>
  rowsOfItem(db, p).where('id', '<', p.before).orderBy('id', 'desc').limit(p.limit),
);

/** The rows of an item from an id on, oldest first. */
export const findLaterRows = statement((db, p: { vault: VaultId; item: string; from: string; limit: number }) =>
  rowsOfItem(db, p).where('id', '>=', p.from).orderBy('id').limit(p.limit),
);

export const findFirstRow = statement((db, p: { vault: VaultId; item: string }) =>
  db
    .selectFrom('activity')
    .select('at')
    .where('vault_id', '=', p.vault)
    .where('item', '=', p.item)
    .orderBy('id')
    .limit(1),
);

export const findItems = listStatement((db, p: { vault: VaultId }, items: string[]) =>
  db.selectFrom('activity').select('item').distinct().where('vault_id', '=', p.vault).where('item', 'in', items),
);

/** Lets no further write continue an item. */
export const closeItem = statement((db, p: { vault: VaultId; item: string }) =>
  db.updateTable('activity').set({ stretch: null }).where('vault_id', '=', p.vault).where('item', '=', p.item),
);
