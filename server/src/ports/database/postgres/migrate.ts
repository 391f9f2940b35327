import type { Client } from 'pg';
import type { Migration } from '../database.ts';
import { ddlFor } from '../ddl.ts';
import { type Applied, CREATE_RECORD, recordOf, stepsLeft } from '../migrations.ts';
import { giveFirstStatistics } from './first-statistics.ts';

/** An arbitrary number that nothing else locks in this database. */
const LOCK = 7_266_482_311;

/**
 * Applies and records each step in a transaction of its own. A concurrent migration waits for the lock and then finds
 * the step recorded.
 */
export async function migratePostgres(
  client: Client,
  migrations: readonly Migration[],
  beforeUpgrade?: () => Promise<void> | undefined,
): Promise<void> {
  for (let told = beforeUpgrade === undefined; ; ) {
    await client.query('begin isolation level read committed');
    try {
      await client.query('set local statement_timeout = 0');
      await client.query('set local idle_in_transaction_session_timeout = 0');
      await client.query('select pg_advisory_xact_lock($1)', [LOCK]);
      await client.query(ddlFor('postgres', CREATE_RECORD));
      // The columns are not named, because a database of 0.1.0 has one less.
      const applied = await client.query<Applied>('select * from schema_migrations order by number');
      const [step] = stepsLeft(migrations, applied.rows);
      // A database that this migration makes has nothing that an upgrade could harm.
      told ||= applied.rows.length === 0;
      if (!told && step !== undefined) {
        await client.query('rollback');
        await beforeUpgrade?.();
        told = true;
        continue;
      }
      if (step !== undefined) {
        await client.query(ddlFor('postgres', step.ddl));
        await giveFirstStatistics(client);
        const record = Object.values(recordOf(step));
        await client.query('insert into schema_migrations (number, name, version) values ($1, $2, $3)', record);
      }
      await client.query('commit');
      if (step === undefined) return;
    } catch (error) {
      // The first error is reported; if the rollback fails, the caller closes the connection.
      await client.query('rollback').catch(() => {});
      throw error;
    }
  }
}
