import type { Migration } from '../database.ts';
import { ddlFor } from '../ddl.ts';
import { type Applied, CREATE_RECORD, stepsLeft } from '../migrations.ts';
import type { Compiled } from '../statement.ts';
import { type Connection, whenFree } from './connection.ts';

const RECORDED: Compiled = { sql: 'select number, name from schema_migrations order by number', bind: () => [] };
const RECORD: Compiled = {
  sql: 'insert into schema_migrations (number, name) values (?, ?)',
  bind: (step) => [(step as Applied).number, (step as Applied).name],
};

/**
 * Applies and records each step in a transaction of its own, on a separate connection. A concurrent migration waits for
 * the write lock and then finds the step recorded.
 */
export async function migrateSqlite(
  connection: Connection,
  migrations: readonly Migration[],
  busyMs: number,
): Promise<void> {
  for (;;) {
    await whenFree(() => connection.exec('begin immediate'), busyMs);
    try {
      connection.exec(ddlFor('sqlite', CREATE_RECORD));
      const [step] = stepsLeft(migrations, connection.all(RECORDED, {}, []) as unknown as Applied[]);
      if (step !== undefined) {
        connection.exec(ddlFor('sqlite', step.ddl));
        connection.run(RECORD, step, []);
      }
      connection.exec('commit');
      if (step === undefined) return;
    } catch (error) {
      if (connection.inTransaction) connection.exec('rollback');
      throw error;
    }
  }
}
