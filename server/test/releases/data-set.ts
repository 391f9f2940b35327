import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { gunzipSync, gzipSync } from 'node:zlib';
import { Client, escapeIdentifier } from 'pg';
import { from, to } from 'pg-copy-streams';
import { databaseFile } from '../../src/data/data-folder.ts';
import { migrations } from '../../src/data/migrations.ts';
import { blobsFolder, keyFile } from '../../src/open-ports.ts';
import { ddlFor } from '../../src/ports/database/ddl.ts';
import { CREATE_RECORD } from '../../src/ports/database/migrations.ts';
import type { Contents } from './fill.ts';

/*
 * The data that a release left behind, as a later one finds it: `<version>/sqlite/` is a data folder, and
 * `<version>/postgres/` a database as the statements that made its tables, with their rows, and the key. Each also has
 * a backup that the release took of this data; 0.2.0 had written pages of its lists (`CachePages`) before.
 */

/** A PostgreSQL database as it was: what made the tables, and the rows of each as COPY writes them. */
interface StoredPostgres {
  readonly ddl: readonly string[];
  readonly tables: Readonly<Record<string, string>>;
}

const HERE = import.meta.dirname;
const CONTENTS = 'contents.json';
const DATABASE = 'database.gz';
const BACKUP = 'backup.tar.gz';
const TABLES =
  "select relname::text as name from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace";

/** Throws for a version that is not a release: only what a release wrote must be opened for ever. */
export function folderOf(version: string): string {
  if (version.includes('-')) throw new Error(`${version} is no release: npm run set-version first.`);
  return join(HERE, version);
}

/** The releases that have a data set, oldest first. */
export function releases(): string[] {
  const names = readdirSync(HERE, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return names.map(({ name }) => name).sort((a, b) => a.localeCompare(b, 'en', { numeric: true }));
}

/** The data of a release that `make.ts` stores. */
interface Released {
  /** Data folder that a stopped server left. */
  readonly dataDir: string;
  /** Its PostgreSQL database, if it used one. */
  readonly url: string | null;
  /** A backup of both, as a tar file. */
  readonly backup: string;
  readonly contents: Contents;
}

export async function store(version: string, { dataDir, url, backup, contents }: Released): Promise<void> {
  const folder = join(folderOf(version), url === null ? 'sqlite' : 'postgres');
  mkdirSync(folder, { recursive: true });
  cpSync(keyFile(dataDir), join(folder, 'master.key'));
  if (url === null) cpSync(blobsFolder(dataDir), join(folder, 'blobs'), { recursive: true });
  const database = url === null ? readFileSync(databaseFile(dataDir)) : JSON.stringify(await readPostgres(url));
  writeFileSync(join(folder, DATABASE), gzipSync(database, { level: 9 }));
  writeFileSync(join(folder, BACKUP), gzipSync(readFileSync(backup), { level: 9 }));
  writeFileSync(join(folder, CONTENTS), `${JSON.stringify(contents, null, 2)}\n`);
}

export function contentsOf(version: string, engine: 'sqlite' | 'postgres'): Contents {
  return JSON.parse(readFileSync(join(folderOf(version), engine, CONTENTS), 'utf8')) as Contents;
}

/** Writes the backup of a release as a tar file; resolves to its master key. */
export async function loadBackup(version: string, engine: 'sqlite' | 'postgres', file: string): Promise<Buffer> {
  const folder = join(folderOf(version), engine);
  writeFileSync(file, gunzipSync(readFileSync(join(folder, BACKUP))), { mode: 0o600 });
  return Buffer.from(readFileSync(join(folder, 'master.key'), 'utf8').trim(), 'base64');
}

/** The statements that make the tables of this version, the record of steps first and then each step. */
export function presentDdl(): string[] {
  return [CREATE_RECORD, ...migrations.map(({ ddl }) => ddl)].map((ddl) => ddlFor('postgres', ddl));
}

/** The statements that made the tables of a release. */
export function ddlOf(version: string): readonly string[] {
  return readStored(join(folderOf(version), 'postgres')).ddl;
}

function readStored(folder: string): StoredPostgres {
  return JSON.parse(gunzipSync(readFileSync(join(folder, DATABASE))).toString()) as StoredPostgres;
}

/** Puts the data of a release into an empty data folder and, if given, an empty PostgreSQL database. */
export async function load(version: string, dataDir: string, url: string | null): Promise<void> {
  const folder = join(folderOf(version), url === null ? 'sqlite' : 'postgres');
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  cpSync(join(folder, 'master.key'), keyFile(dataDir));
  // Git does not keep who may read a file.
  chmodSync(keyFile(dataDir), 0o600);
  if (existsSync(join(folder, 'blobs'))) cpSync(join(folder, 'blobs'), blobsFolder(dataDir), { recursive: true });
  if (url !== null) return await writePostgres(url, readStored(folder));
  writeFileSync(databaseFile(dataDir), gunzipSync(readFileSync(join(folder, DATABASE))), { mode: 0o600 });
}

async function readPostgres(url: string): Promise<StoredPostgres> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ name: string }>(TABLES);
    const tables: Record<string, string> = {};
    for (const name of rows.map((row) => row.name).sort()) {
      tables[name] = await text(client.query(to(`copy ${escapeIdentifier(name)} to stdout`)));
    }
    return { ddl: presentDdl(), tables };
  } finally {
    await client.end();
  }
}

async function writePostgres(url: string, { ddl, tables }: StoredPostgres): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    for (const each of ddl) await client.query(each);
    // Tables refer to each other, so rows are not checked one by one.
    await client.query("set session_replication_role = 'replica'");
    for (const [name, rows] of Object.entries(tables)) {
      await pipeline(Readable.from([rows]), client.query(from(`copy ${escapeIdentifier(name)} from stdin`)));
    }
  } finally {
    await client.end();
  }
}
