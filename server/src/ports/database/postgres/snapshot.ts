import { Client, escapeIdentifier } from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import type { DatabaseSnapshot, SnapshotPart, SnapshotRow } from '../database.ts';
import { readInFull } from './check.ts';
import { portError } from './errors.ts';
import { valueTypes } from './value-types.ts';

/** Each table after those that it references, so that rows can be restored in this order. */
const TABLES_IN_ORDER = `with recursive tables as (
    select c.oid, c.relname::text as name from pg_class c
    where c.relkind = 'r' and c.relnamespace = current_schema()::regnamespace
  ), depths as (
    select oid, name, 0 as depth from tables
    union
    select t.oid, t.name, d.depth + 1 from depths d
    join pg_constraint k on k.contype = 'f' and k.confrelid = d.oid and k.conrelid <> d.oid
    join tables t on t.oid = k.conrelid
    where d.depth < 100
  )
  select name from depths group by name order by max(depth), name`;
const COLUMNS = `select attname::text as name from pg_attribute
  where attrelid = $1::regclass and attnum > 0 and not attisdropped order by attnum`;

/** Lists the tables of the current schema, each after those that it references. */
export async function tablesInOrder(client: Pick<Client, 'query'>): Promise<string[]> {
  return (await client.query<{ name: string }>(TABLES_IN_ORDER)).rows.map(({ name }) => name);
}

/** Lists the columns of a table of the current schema, in their order. */
export async function columnsOf(client: Pick<Client, 'query'>, table: string): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(COLUMNS, [escapeIdentifier(table)]);
  return rows.map(({ name }) => name);
}

/** Begins a snapshot: one transaction that copies every table as text. @param without tables left out. */
export async function snapshotPostgres(url: string, without: readonly string[]): Promise<DatabaseSnapshot> {
  const client = new Client({
    connectionString: url,
    application_name: 'notevault backup',
    types: valueTypes,
    client_encoding: 'UTF8',
  });
  // A broken connection also rejects what waits for it.
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query('begin isolation level repeatable read read only');
    await client.query('set local statement_timeout = 0');
    await client.query('set local idle_in_transaction_session_timeout = 0');
    // The snapshot is that of the first query.
    await client.query('select 1');
    return new PostgresSnapshot(client, new Set(without));
  } catch (error) {
    await client.end().catch(() => undefined);
    throw portError(error);
  }
}

class PostgresSnapshot implements DatabaseSnapshot {
  readonly engine = 'postgres';
  readonly #client: Client;
  readonly #without: ReadonlySet<string>;

  constructor(client: Client, without: ReadonlySet<string>) {
    this.#client = client;
    this.#without = without;
  }

  async all(sql: string, ...params: readonly (string | number)[]): Promise<readonly SnapshotRow[]> {
    return this.#read(async () => (await this.#client.query<SnapshotRow>(sql, [...params])).rows);
  }

  async #read<Result>(read: () => Promise<Result>): Promise<Result> {
    try {
      return await read();
    } catch (error) {
      throw portError(error);
    }
  }

  async *parts(): AsyncGenerator<SnapshotPart> {
    for (const table of await this.#read(() => tablesInOrder(this.#client))) {
      if (this.#without.has(table)) {
        // Read too, so that damage in a table that is left out does not go unnoticed.
        await this.all(readInFull(table));
        continue;
      }
      const columns = await this.#read(() => columnsOf(this.#client, table));
      yield { name: table, columns, bytes: this.#rows(table, columns) };
    }
  }

  async *#rows(table: string, columns: readonly string[]): AsyncGenerator<Uint8Array> {
    const list = columns.map((column) => escapeIdentifier(column)).join(', ');
    const copy = this.#client.query(copyTo(`copy ${escapeIdentifier(table)} (${list}) to stdout`));
    try {
      for await (const chunk of copy) yield chunk as Uint8Array;
    } catch (error) {
      throw portError(error);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#client.end().catch(() => undefined);
  }
}
