import { DatabaseSync } from 'node:sqlite';
import { Client, types } from 'pg';

/** The value of a column, on either engine. */
export type Value = string | number | Buffer | null;
export type Row = Readonly<Record<string, Value>>;

/**
 * Stored rows as a thief or a failing disk meets them: by plain SQL, without the server and its database port.
 * Parameters are `$1`, `$2`…
 */
export interface Raw extends AsyncDisposable {
  all(sql: string, ...params: Value[]): Promise<Row[]>;
  /** Resolves to the number of changed rows. */
  run(sql: string, ...params: Value[]): Promise<number>;
  tables(): Promise<string[]>;
}

/** Opens the rows beside a running server, or after it has stopped. */
export async function openRaw(at: { readonly file: string } | { readonly url: string }): Promise<Raw> {
  return 'file' in at ? rawSqlite(at.file) : rawPostgres(at.url);
}

function rawSqlite(file: string): Raw {
  const db = new DatabaseSync(file, { timeout: 10_000 });
  const named = (params: readonly Value[]) => Object.fromEntries(params.map((value, at) => [`$${at + 1}`, value]));
  const prepare = (sql: string) => db.prepare(sql);
  const all = async (sql: string, ...params: Value[]) => {
    const rows = prepare(sql).all(named(params));
    return rows.map((row) => Object.fromEntries(Object.entries(row).map(([name, value]) => [name, plain(value)])));
  };
  return {
    all,
    run: async (sql, ...params) => Number(prepare(sql).run(named(params)).changes),
    tables: async () => namesOf(await all("select name from sqlite_schema where type = 'table' order by name")),
    [Symbol.asyncDispose]: async () => db.close(),
  };
}

async function rawPostgres(url: string): Promise<Raw> {
  const parsers = { getTypeParser: (oid: number) => (oid === 20 ? Number : types.getTypeParser(oid)) };
  const client = new Client({ connectionString: url, types: parsers as never });
  await client.connect();
  const all = async (sql: string, ...params: Value[]) => (await client.query<Record<string, Value>>(sql, params)).rows;
  return {
    all,
    run: async (sql, ...params) => (await client.query(sql, params)).rowCount ?? 0,
    tables: async () =>
      namesOf(
        await all(
          "select table_name::text as name from information_schema.tables where table_schema = 'public' order by 1",
        ),
      ),
    [Symbol.asyncDispose]: () => client.end(),
  };
}

function plain(value: unknown): Value {
  if (value instanceof Uint8Array) return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  return value as string | number | null;
}

function namesOf(rows: readonly Row[]): string[] {
  return rows.map((row) => String(row.name));
}
