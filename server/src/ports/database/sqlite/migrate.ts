import type { Migration } from '../database.ts';
import { ddlFor } from '../ddl.ts';
import { type Applied, CREATE_RECORD, recordOf, stepsLeft } from '../migrations.ts';
import type { Compiled } from '../statement.ts';
import { type Connection, whenFree } from './connection.ts';

const RECORDED: Compiled = {
  // The columns are not named, because a database of 0.1.0 has one less.
  sql: 'select * from schema_migrations order by number',
  isSelect: true,
  bind: () => [],
};
const RECORD: Compiled = {
  sql: 'insert into schema_migrations (number, name, version) values (?, ?, ?)',
  isSelect: false,
  bind: (step) => Object.values(recordOf(step as Migration)),
};

/** Each step is a transaction. A concurrent migration waits for the write lock and then finds the step recorded. */
export async function migrateSqlite(
  connection: Connection,
  migrations: readonly Migration[],
  busyMs: number,
  beforeUpgrade?: () => Promise<void>,
): Promise<void> {
  for (let told = beforeUpgrade === undefined; ; ) {
    await whenFree(() => connection.exec('begin immediate'), busyMs);
    try {
      connection.exec(ddlFor('sqlite', CREATE_RECORD));
      const applied = connection.all(RECORDED, {}, []) as unknown as Applied[];
      const [step] = stepsLeft(migrations, applied);
      // A database that this migration makes has nothing that an upgrade could harm.
      told ||= applied.length === 0;
      if (!told && step !== undefined) {
        connection.exec('rollback');
        await beforeUpgrade?.();
        told = true;
        continue;
      }
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
