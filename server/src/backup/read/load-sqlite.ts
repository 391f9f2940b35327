import { open } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';
import { migrations } from '../../data/migrations.ts';
import { openSqlite } from '../../ports/database/sqlite/sqlite.ts';
import { writeFileDurably } from '../files.ts';
import { BackupDamaged, type ManifestBody } from '../format.ts';
import { readCopyRows } from './copy-text.ts';
import type { BackupSource } from './source.ts';

const RECORD = 'schema_migrations';
const ROWS_A_TRANSACTION = 10_000;

/**
 * Makes a SQLite database of a backup, at the backup's own schema. The tables of PostgreSQL are the same, so a backup
 * of either engine can be opened without a server, and one of PostgreSQL can be restored into a data folder.
 *
 * @param file the database to create.
 */
export async function loadIntoSqlite(source: BackupSource, file: string): Promise<void> {
  const { engine, database } = source.manifest.body;
  if (engine === 'sqlite') {
    const [part] = database;
    if (part === undefined) throw new BackupDamaged(source.name, 'has no database');
    await writeFileDurably(file, source.part(part.name));
    return;
  }
  const db = await openSqlite({ file });
  try {
    await db.migrate(stepsOf(source.manifest.body));
  } finally {
    await db[Symbol.asyncDispose]();
  }
  await loadTables(source, file);
}

/** The steps of the schema that a backup was taken at. */
export function stepsOf({ schema }: ManifestBody) {
  return migrations.slice(0, schema.length);
}

async function loadTables(source: BackupSource, file: string): Promise<void> {
  using db = new DatabaseSync(file);
  db.exec('pragma journal_mode = delete; pragma synchronous = off; pragma foreign_keys = off');
  for (const { name, columns } of source.manifest.body.database) {
    if (name !== RECORD) await loadTable(db, name, columns ?? [], source.part(name));
  }
  const broken = db.prepare('pragma foreign_key_check').all();
  if (broken.length > 0) throw new BackupDamaged(source.name, 'has rows that refer to missing ones');
  await using handle = await open(file, 'r+');
  await handle.sync();
}

async function loadTable(
  db: DatabaseSync,
  table: string,
  columns: readonly string[],
  bytes: AsyncIterable<Uint8Array>,
): Promise<void> {
  const types = new Map(
    db
      .prepare('select name, type from pragma_table_info(?)')
      .all(table)
      .map(({ name, type }) => [String(name), String(type)]),
  );
  const convert = columns.map((column) => converters[types.get(column) ?? 'TEXT'] ?? asText);
  const places = columns.map(() => '?').join(', ');
  const names = columns.map((column) => `"${column}"`).join(', ');
  const insert = db.prepare(`insert into "${table}" (${names}) values (${places})`);
  let rows = 0;
  db.exec('begin');
  for await (const values of readCopyRows(bytes)) {
    insert.run(...values.map((value, at) => (value === null ? null : (convert[at] ?? asText)(value))));
    rows += 1;
    if (rows % ROWS_A_TRANSACTION === 0) db.exec('commit; begin');
  }
  db.exec('commit');
}

const asText = (text: string): string | number | bigint | Uint8Array => text;
const converters: Readonly<Record<string, typeof asText>> = {
  INTEGER: (text) => BigInt(text),
  REAL: Number,
  BLOB: (text) => Buffer.from(text.slice(2), 'hex'),
};
