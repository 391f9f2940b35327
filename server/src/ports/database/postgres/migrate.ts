import type { Client } from 'pg';
import type { Migration } from '../database.ts';
import { ddlFor } from '../ddl.ts';
import { type Applied, CREATE_RECORD, recordOf, stepsLeft } from '../migrations.ts';

/** An arbitrary number that nothing else locks in this database. */
const LOCK = 7_266_482_311;

/** Each step is a transaction of its own. A concurrent migration waits for the lock and then finds the step recorded. */
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

/** Whether statistics can be given to tables (PostgreSQL 18). */
const CAN = "select to_regproc('pg_catalog.pg_restore_attribute_stats') is not null as can";

/** Assumed statistics of columns without any: one vault has all rows, and few entries are deleted. */
const GIVE = `select pg_restore_attribute_stats(
    'schemaname', n.nspname::text, 'relname', c.relname::text, 'attname', a.attname::text, 'inherited', false,
    'null_frac', (case when a.attname = 'deleted_at' then 0.9 else 0 end)::real,
    'avg_width', 16,
    'n_distinct', (case when a.attname = 'deleted_at' then -0.1 else 1 end)::real)
  from pg_class c
  join pg_namespace n on n.oid = c.relnamespace
  join pg_attribute a on a.attrelid = c.oid
  join pg_index i on i.indrelid = c.oid and i.indisprimary
  where c.relkind = 'r' and n.nspname = current_schema()
    and ((a.attname = 'vault_id' and a.attnum = i.indkey[0] and i.indnatts > 1) or a.attname = 'deleted_at')
    and not exists (select 1 from pg_statistic s where s.starelid = c.oid)`;

/**
 * Gives new tables statistics until their first ANALYZE. Without any, PostgreSQL takes a condition on the vault alone for
 * as selective as one on its whole key, and prepared statements keep the plans of empty tables, which go through all
 * rows of a vault, while the tables fill.
 */
async function giveFirstStatistics(client: Client): Promise<void> {
  const { rows } = await client.query<{ can: unknown }>(CAN);
  if (rows[0]?.can === 1 || rows[0]?.can === true) await client.query(GIVE);
}
