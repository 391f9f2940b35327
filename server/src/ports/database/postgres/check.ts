import { escapeIdentifier } from 'pg';
import { connect } from './client.ts';

/** The findings of a check of a PostgreSQL database over one connection. */
export interface PostgresCheck {
  readonly tables: number;
  /** Number of indexes that the extension amcheck compared with their tables; 0 if it is not installed. */
  readonly indexes: number;
  /** Whether the server itself detects a damaged page when it reads one. */
  readonly checksums: boolean;
  /** Name tables and indexes, never their contents. */
  readonly faults: readonly string[];
}

const TABLES = `select relname::text as name from pg_class
  where relkind = 'r' and relnamespace = 'public'::regnamespace order by 1`;
const INDEXES = `select c.oid::text as id, c.relname::text as name from pg_class c
  join pg_index i on i.indexrelid = c.oid join pg_am a on a.oid = c.relam
  where a.amname = 'btree' and c.relnamespace = 'public'::regnamespace and i.indisvalid order by 2`;
const AMCHECK = `select n.nspname::text as schema from pg_extension e join pg_namespace n on n.oid = e.extnamespace
  where e.extname = 'amcheck'`;

/** Reads every value of every table, and compares indexes with their tables where amcheck is installed. Rejects when it cannot connect. */
export async function checkPostgres(url: string): Promise<PostgresCheck> {
  await using client = await connect({ connectionString: url });
  const rows = async (sql: string) => (await client.query<Record<string, string>>(sql)).rows;
  const faults: string[] = [];
  const attempt = async (name: string, sql: string) => {
    await client.query(sql).catch((error: { code?: string }) => {
      faults.push(`${name} cannot be read (${error.code ?? 'connection lost'})`);
    });
  };
  const tables = await rows(TABLES);
  for (const { name = '' } of tables) await attempt(`table ${name}`, readInFull(name));
  const [amcheck] = await rows(AMCHECK);
  const indexes = amcheck === undefined ? [] : await rows(INDEXES);
  for (const { id, name } of indexes) {
    await attempt(
      `index ${name}`,
      `select ${escapeIdentifier(amcheck?.schema ?? '')}.bt_index_check(${id}::oid::regclass)`,
    );
  }
  const [setting] = await rows('show data_checksums');
  const checksums = setting?.data_checksums === 'on';
  return { tables: tables.length, indexes: indexes.length, checksums, faults };
}

/** A query that reads every value of a table. Converting rows to text also reads values stored outside of them. */
export function readInFull(table: string): string {
  return `select sum(length(t::text)) from ${escapeIdentifier(table)} t`;
}

/** Counts the servers on a database: each holds one connection to the bus. */
export async function countServers(url: string): Promise<number> {
  await using client = await connect({ connectionString: url, application_name: 'notevault doctor' });
  const sql = `select count(*)::int as servers from pg_stat_activity
    where datname = current_database() and application_name = 'notevault bus'`;
  return (await client.query<{ servers: number }>(sql)).rows[0]?.servers ?? 0;
}
