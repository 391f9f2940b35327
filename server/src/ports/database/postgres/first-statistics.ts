import type { Client } from 'pg';

/** Whether statistics can be given to tables (PostgreSQL 18). */
const CAN = "select to_regproc('pg_catalog.pg_restore_attribute_stats') is not null as can";

/**
 * Columns of tables without statistics, and what is assumed of them: that one vault has all rows, and that few entries are
 * deleted.
 */
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
export async function giveFirstStatistics(client: Client): Promise<void> {
  const { rows } = await client.query<{ can: unknown }>(CAN);
  if (rows[0]?.can === 1 || rows[0]?.can === true) await client.query(GIVE);
}
