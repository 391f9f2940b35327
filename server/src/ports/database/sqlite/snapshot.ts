import { createReadStream } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { basename } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import { MB } from '@notevault/protocol/values/byte-units.ts';
import type { DatabaseSnapshot, SnapshotPart, SnapshotRow } from '../database.ts';
import { requireSound } from './check.ts';
import { PAGE_BYTES } from './connection.ts';
import { portError } from './errors.ts';

/** Pages copied at once (1 MB); other work of this process runs in between. */
const PAGES = 256;
const READ_BYTES = MB;

export interface SqliteSnapshotOptions {
  /** The file to create, which is removed on disposal. It needs as much space as the database. */
  readonly copy: string;
  /** Tables whose rows are left out. */
  readonly without: readonly string[];
  readonly bytesPerSecond?: number | undefined;
  /** Called each second while the copy is checked. */
  readonly checking: (seconds: number) => void;
}

/**
 * Copies a database file that other processes may write to, by SQLite's online backup, and opens the copy. Throws
 * DatabaseError (`damaged`) unless the copy is sound.
 */
export async function snapshotSqlite(
  file: string,
  { copy, without, bytesPerSecond, checking }: SqliteSnapshotOptions,
): Promise<DatabaseSnapshot> {
  await copySqlite(file, copy, bytesPerSecond);
  try {
    // Before any row is deleted, which a damaged list of free pages would make worse or stop.
    await requireSound(copy, checking);
    deleteRows(copy, without);
    return new SqliteSnapshot(copy, basename(file));
  } catch (error) {
    await rm(copy, { force: true });
    throw portError(error);
  }
}

/** Copies a database file as it is at one moment. When it resolves, the copy is on disk. */
export async function copySqlite(file: string, copy: string, bytesPerSecond = Number.POSITIVE_INFINITY): Promise<void> {
  await rm(copy, { force: true });
  // Created here, because SQLite would create a file that other users can read.
  await (await open(copy, 'wx', 0o600)).close();
  try {
    await copyDatabase(file, copy, bytesPerSecond);
    await using handle = await open(copy, 'r+');
    await handle.sync();
  } catch (error) {
    await rm(copy, { force: true });
    throw portError(error);
  }
}

/** Deletes rows and zeroes their pages, so that no backup has them and its pieces equal the last one's. */
function deleteRows(copy: string, tables: readonly string[]): void {
  using db = new DatabaseSync(copy);
  // Without a journal: when it fails, the copy is of no use.
  db.exec('pragma journal_mode = off; pragma synchronous = off; pragma secure_delete = on');
  for (const table of tables) db.exec(`delete from "${table}"`);
}

/**
 * Copies the database in a read transaction: without it, the copy would restart after each commit of another process.
 */
async function copyDatabase(file: string, copy: string, bytesPerSecond: number): Promise<void> {
  using source = new DatabaseSync(file, { timeout: 15_000 });
  source.exec('pragma wal_autocheckpoint = 0');
  source.exec('pragma query_only = on');
  source.exec('begin');
  source.prepare('select count(*) from sqlite_schema').get();
  const stepMs = ((PAGES * PAGE_BYTES) / bytesPerSecond) * 1000;
  await backup(source, copy, { rate: PAGES, progress: () => pause(stepMs) });
  source.exec('rollback');
}

class SqliteSnapshot implements DatabaseSnapshot {
  readonly engine = 'sqlite';
  readonly #copy: string;
  readonly #name: string;
  readonly #db: DatabaseSync;

  constructor(copy: string, name: string) {
    this.#copy = copy;
    this.#name = name;
    this.#db = new DatabaseSync(copy);
    // The copy has the mode of its source, which would write beside it; one file is all that is kept.
    this.#db.exec('pragma journal_mode = delete');
    this.#db.exec('pragma query_only = on');
  }

  async all(sql: string, ...params: readonly (string | number)[]): Promise<readonly SnapshotRow[]> {
    const named = Object.fromEntries(params.map((value, at) => [`$${at + 1}`, value]));
    return this.#db.prepare(sql).all(named) as SnapshotRow[];
  }

  async *parts(): AsyncGenerator<SnapshotPart> {
    // Reading the file itself while it is open would be safe, but closing it then would drop SQLite's locks on it.
    this.#db.close();
    const bytes = createReadStream(this.#copy, { highWaterMark: READ_BYTES });
    yield { name: this.#name, columns: null, bytes };
    this.#db.open();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#db.isOpen) this.#db.close();
    await rm(this.#copy, { force: true });
  }
}

/** Blocks: between two steps of a backup there is nothing to await, and it runs in a process of its own. */
function pause(ms: number): void {
  if (ms >= 1) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
