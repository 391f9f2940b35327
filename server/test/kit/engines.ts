import { rmSync } from 'node:fs';
import { copyFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { after, describe } from 'node:test';
import { migrations } from '../../src/data/migrations.ts';
import type { Database } from '../../src/ports/database/database.ts';
import { openPostgres } from '../../src/ports/database/postgres/postgres.ts';
import { openSqlite } from '../../src/ports/database/sqlite/sqlite.ts';
import { migratedPostgres, whyNoPostgres } from './database/postgres.ts';
import { openRaw, type Raw } from './database/raw-sql.ts';
import { deadScratchFolders, scratchFolder } from './scratch.ts';

/**
 * Registers the tests of `define` once per engine. Each `open()` returns a new, empty database at the latest schema;
 * all are closed and removed after the last test.
 */
export function onEachEngine(
  title: string,
  define: (open: () => Promise<Database>, engine: 'sqlite' | 'postgres') => void,
): void {
  describe(`${title} on sqlite`, () => withDatabases(freshSqlite, (open) => define(open, 'sqlite')));
  const skip = whyNoPostgres() ?? false;
  describe(`${title} on postgres`, { skip }, () => withDatabases(freshOnPostgres, (open) => define(open, 'postgres')));
}

/** Like onEachEngine, on SQLite only: for tests of routes, whose statements are tested on each engine elsewhere. */
export function onSqlite(title: string, define: (open: () => Promise<Database>) => void): void {
  describe(title, () => withDatabases(freshSqlite, define));
}

interface Opened {
  readonly db: Database;
  remove(): Promise<void>;
}

type Place = Parameters<typeof openRaw>[0];
const places = new WeakMap<Database, Place>();

/** Opens a database that was made here for plain SQL, beside the server that uses it. */
export async function rawOf(db: Database): Promise<Raw> {
  const place = places.get(db);
  if (place === undefined) throw new Error('this database was opened elsewhere');
  return openRaw(place);
}

let swept: Promise<void> | undefined;

/** Runs once per process and removes what killed tests left behind, which would fill the memory. */
async function sweep(): Promise<void> {
  for (const folder of deadScratchFolders('test')) await rm(folder, { recursive: true, force: true });
}

/** An empty database at the latest schema, in a temporary folder. */
export async function freshSqlite(): Promise<Opened> {
  swept ??= sweep();
  await swept;
  const folder = scratchFolder('test');
  const file = join(folder, 'test.sqlite');
  template ??= makeTemplate();
  await copyFile(await template, file);
  const db = await openSqlite({ file });
  places.set(db, { file });
  return { db, remove: () => rm(folder, { recursive: true, force: true }) };
}

let template: Promise<string> | undefined;

/** Creates the database that others are copied from; removed when the process ends. */
async function makeTemplate(): Promise<string> {
  const folder = scratchFolder('test');
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'template.sqlite');
  const db = await openSqlite({ file });
  await db.migrate(migrations);
  // Closing the last connection moves the log into the file.
  await db[Symbol.asyncDispose]();
  return file;
}

export async function freshOnPostgres(): Promise<Opened> {
  const fresh = await migratedPostgres();
  const db = await openPostgres({ url: fresh.url });
  places.set(db, { url: fresh.url });
  return { db, remove: async () => fresh[Symbol.asyncDispose]() };
}

/** Must be called inside a `describe`, at whose end the databases are closed, after all that `define` opened over them. */
function withDatabases(fresh: () => Promise<Opened>, define: (open: () => Promise<Database>) => void): void {
  const opened = new Map<Database, () => Promise<void>>();
  const open = async () => {
    const { db, remove } = await fresh();
    opened.set(db, remove);
    return db;
  };
  const close = async (db: Database) => {
    const remove = opened.get(db);
    if (!opened.delete(db)) return;
    await db[Symbol.asyncDispose]();
    await remove?.();
  };
  closers.set(open, close);
  define(open);
  after(async () => {
    for (const db of opened.keys()) await close(db);
  });
}

const closers = new WeakMap<() => Promise<Database>, (db: Database) => Promise<void>>();

/** Returns the function that closes a database made by a suite's `open`; undefined for any other function. */
export function closerOf(open: () => Promise<Database>): ((db: Database) => Promise<void>) | undefined {
  return closers.get(open);
}
