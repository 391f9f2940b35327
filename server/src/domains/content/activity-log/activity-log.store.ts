import type { VaultId } from '@notevault/protocol/values/ids.ts';
import { picked, statementsOver } from '../../../ports/database/statement.ts';
import type { ActivityRow, ActivityTables } from './activity-log.tables.ts';

const { statement, listStatement, table } = statementsOver<ActivityTables>();

export interface NewRow extends Omit<ActivityRow, 'vault_id'> {
  /** A write of the same stretch after this time is continued, unless its item has `most` changes. */
  readonly after: number;
  readonly most: number;
}

/** Appends rows, each to the item that its stretch continues, else to the given one. No two rows may share a stretch. */
export const insertRows = listStatement((db, p: { vault: VaultId }, rows: NewRow[]) =>
  db.insertInto('activity').values(
    rows.map((row) => {
      const continued = <Column extends 'item' | 'count'>(column: Column) =>
        db
          .selectFrom('activity as last')
          .select((eb) =>
            eb
              .case()
              .when('last.count', '<', row.most)
              .then(eb.ref(`last.${column}`))
              .end()
              .as(column),
          )
          .where('last.vault_id', '=', p.vault)
          .where('last.stretch', '=', row.stretch)
          .where('last.stretch', 'is not', null)
          .where('last.at', '>', row.after)
          .orderBy('last.at', 'desc')
          .orderBy('last.id', 'desc')
          .limit(1);
      return {
        vault_id: p.vault,
        ...picked(row, ['id', 'stretch', 'person', 'action', 'at', 'data']),
        item: (eb) => eb.fn.coalesce(continued('item'), eb.val(row.item)),
        count: (eb) => eb(eb.fn.coalesce(continued('count'), eb.lit(0)), '+', row.count),
      };
    }),
  ),
);

/** Deletes the oldest rows up to a time: about `limit`, as many as there are of the last one’s time. */
export const deleteExpired = statement((db, p: { until: number; limit: number }) =>
  db
    .deleteFrom('activity')
    .where('at', '<=', p.until)
    .where('at', '<=', ({ fn, selectFrom, val }) =>
      fn.coalesce(
        selectFrom('activity as last')
          .select('last.at')
          .where('last.at', '<=', p.until)
          .orderBy('last.at')
          .limit(1)
          .offset(p.limit),
        val(p.until),
      ),
    ),
);

export const purgeRows = table('activity').deleteSome(['vault_id'], 'id');
