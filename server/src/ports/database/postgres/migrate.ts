import type { Client } from 'pg';
import type { Migration } from '../database.ts';
import { ddlFor } from '../ddl.ts';
import { type Applied, CREATE_RECORD, stepsLeft } from '../migrations.ts';

/** An arbitrary number that nothing else locks in this database. */
const LOCK = 7_266_482_311;

/**
 * Applies and records each step in a transaction of its own. A concurrent migration waits for the lock and then finds
 * the step recorded.
 */
export async function migratePostgres(client: Client, migrations: readonly Migration[]): Promise<void> {
  for (;;) {
    await client.query('begin isolation level read committed');
    try {
      await client.query('set local statement_timeout = 0');
      await client.query('set local idle_in_transaction_session_timeout = 0');
      await client.query('select pg_advisory_xact_lock($1)', [LOCK]);
      await client.query(ddlFor('postgres', CREATE_RECORD));
      const applied = await client.query<{ number: number; name: string }>(
        'select number, name from schema_migrations order by number',
      );
      const [step] = stepsLeft(migrations, applied.rows satisfies Applied[]);
      if (step !== undefined) {
        await client.query(ddlFor('postgres', step.ddl));
        await client.query('insert into schema_migrations (number, name) values ($1, $2)', [step.number, step.name]);
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
