import { createReadStream } from 'node:fs';
import { mkdir, open } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { App } from '../../app.ts';
import type { Config } from '../../config/config.ts';
import { databaseFile } from '../../data/data-folder.ts';
import { migrations } from '../../data/migrations.ts';
import { BlobError, type BlobKey, type Blobs, type ByteRange, type StoredBlob } from '../../ports/blobs/blobs.ts';
import { databaseBlobs } from '../../ports/blobs/database.ts';
import { systemClock } from '../../ports/clock/clock.ts';
import { openSqlite } from '../../ports/database/sqlite/sqlite.ts';
import { writeFileDurably } from '../files.ts';
import { BackupDamaged, type ManifestBody } from '../format.ts';
import { openOffline } from '../verify/check-with.ts';
import { readCopyRows } from './copy-text.ts';
import type { BackupKey, OpenBackup } from './open-backup.ts';
import type { BackupSource } from './source.ts';

/**
 * Opens a backup as a service, to read single vaults from it: its data is loaded into its scratch folder at the latest
 * schema. Its writes are lost with the folder. Throws SchemaError for a backup of a newer version.
 */
export async function openCopyApp({ source, scratch }: OpenBackup, key: BackupKey, config: Config): Promise<App> {
  const dataDir = join(scratch, 'data');
  await mkdir(dataDir, { mode: 0o700 });
  const file = databaseFile(dataDir);
  await loadIntoSqlite(source, file);
  await using opened = new AsyncDisposableStack();
  const db = opened.use(await openSqlite({ file }));
  await db.migrate(migrations);
  const clock = systemClock();
  const isApart = source.manifest.body.blobs.stored === 'apart';
  const blobs: Blobs = opened.use(
    isApart ? await BackupBlobs.open(source, join(scratch, 'blobs.sqlite')) : databaseBlobs(db, clock),
  );
  const app = opened.use(await openOffline({ db, blobs, key, config: { ...config, dataDir }, clock }));
  const closing = opened.move();
  return { ...app, [Symbol.asyncDispose]: () => closing.disposeAsync() };
}

/** The blobs of a backup whose hashes were checked; they can only be read. */
export class BackupBlobs implements Blobs {
  readonly #source: BackupSource;
  readonly #index: DatabaseSync;

  private constructor(source: BackupSource, index: DatabaseSync) {
    this.#source = source;
    this.#index = index;
  }

  /** @param file the index to create, by which a blob is found; in memory it would grow with the backup. */
  static async open(source: BackupSource, file: string): Promise<BackupBlobs> {
    const index = new DatabaseSync(file);
    index.exec('pragma journal_mode = off; pragma synchronous = off');
    index.exec('create table blobs (key text primary key, hash text not null, size integer not null) without rowid');
    const insert = index.prepare('insert into blobs (key, hash, size) values (?, ?, ?)');
    index.exec('begin');
    for await (const { key, hash, size } of source.blobs()) insert.run(nameOf(key), hash, size);
    index.exec('commit');
    return new BackupBlobs(source, index);
  }

  async read(key: BlobKey, { start, end }: ByteRange = { start: 0, end: Number.POSITIVE_INFINITY }) {
    const found = this.#index.prepare('select hash, size from blobs where key = ?').get(nameOf(key));
    if (found === undefined) return null;
    const object = { hash: String(found.hash), size: Number(found.size) };
    if (start >= Math.min(end, object.size)) return none();
    return createReadStream(this.#source.fileOf('blobs', object), { start, end: Math.min(end, object.size) - 1 });
  }

  put(): Promise<void> {
    return Promise.reject(readOnly());
  }

  delete(): Promise<void> {
    return Promise.reject(readOnly());
  }

  async *list(): AsyncGenerator<readonly StoredBlob[]> {}

  async deleteVault(): Promise<boolean> {
    return false;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#index.close();
  }
}

const nameOf = ({ vaultId, blobId }: BlobKey) => `${vaultId}/${blobId}`;
const readOnly = () => new BlobError('unavailable', 'A backup can only be read.');

async function* none(): AsyncGenerator<never> {}

const RECORD = 'schema_migrations';
const ROWS_A_TRANSACTION = 10_000;

/** Makes a SQLite database of a backup of either engine, at its own schema. @param file the database to create. */
export async function loadIntoSqlite(source: BackupSource, file: string): Promise<void> {
  const { engine, database } = source.manifest.body;
  if (engine === 'sqlite') {
    const [part] = database;
    if (part === undefined) throw new BackupDamaged(source.name, 'has no database');
    await writeFileDurably(file, source.part(part.name));
    return;
  }
  {
    await using db = await openSqlite({ file });
    await db.migrate(stepsOf(source.manifest.body));
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
