import { DatabaseSync, type SQLOutputValue } from 'node:sqlite';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { type Client, escapeIdentifier } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { type Config, directUrlOf } from '../../config/config.ts';
import { databaseFile } from '../../data/data-folder.ts';
import { migrations } from '../../data/migrations.ts';
import { masterKeyFor, openBlobs } from '../../open-ports.ts';
import { systemClock } from '../../ports/clock/clock.ts';
import { connect } from '../../ports/database/postgres/client.ts';
import { openPostgres } from '../../ports/database/postgres/postgres.ts';
import { columnsOf, tablesInOrder } from '../../ports/database/postgres/snapshot.ts';
import { checkSqlite } from '../../ports/database/sqlite/check.ts';
import { BackupError, backupName } from '../format.ts';
import { copyRow } from '../read/copy-text.ts';
import { type BackupKey, type OpenBackup, openBackup } from '../read/open-backup.ts';
import { loadIntoSqlite, stepsOf } from '../read/open-copy.ts';
import type { BackupSource } from '../read/source.ts';
import type { CopyCheck } from '../verify/check-copy.ts';
import { checkWith } from '../verify/check-with.ts';
import { prepareRestored } from './prepare-restored.ts';
import type { RestorePoint } from './restore.ts';
import {
  checkBackup,
  databaseBytes,
  type RestoreRequest,
  type RestoreResult,
  requireFree,
  requireHealthy,
  storeBlobs,
  takenAtOf,
} from './stage-folder.ts';
import { STAGING } from './unfinished-restore.ts';

/** The table of the steps of the schema, which the target has already. */
const RECORD = 'schema_migrations';
const PIECE_CHARACTERS = 64 * 1024;

/** An arbitrary number that only restores lock in a database. */
const LOCK = 7_266_482_312;
export const POINT_PREFIX = 'restore_point_';
/** How long a server that was just stopped may keep a connection. */
const STOPPING_MS = 5_000;

/**
 * Restores into a PostgreSQL database: into a schema of its own, which takes the place of the present tables in one
 * transaction. These are kept in another schema, the restore point.
 */
export async function restoreIntoPostgres(request: RestoreRequest): Promise<RestoreResult> {
  const url = directUrlOf(request.config) ?? '';
  const servers = serversOf(request.config);
  await using backup = await openBackup(request.path);
  await using client = await connectToRestore(request.config);
  try {
    await requireAlone(client, servers);
    const { source } = backup;
    const key = await checkBackup(backup, request);
    await client.query(`drop schema if exists ${STAGING} cascade`);
    await client.query(`create schema ${STAGING}`);
    const health = await prepare(request, backup, key, inSchema(url, STAGING));
    requireHealthy(health);
    // The preparation's own connections look like those of a server, and may not have closed yet.
    await requireNoServer(client, servers);
    const restorePoint = await replaceTables(client, servers, STAGING);
    const { name, manifest } = source;
    return { name, manifest: manifest.body, checked: health, restorePoint };
  } finally {
    await client.query(`drop schema if exists ${STAGING} cascade`).catch(() => undefined);
  }
}

/** Opens the connection that locks the database, and replaces its tables. */
export function connectToRestore(config: Config): Promise<Client & AsyncDisposable> {
  return connect({ connectionString: directUrlOf(config) ?? '', application_name: 'notevault restore' });
}

async function prepare(
  { config, revokeCredentials }: RestoreRequest,
  { source, scratch }: OpenBackup,
  key: BackupKey,
  url: string,
): Promise<CopyCheck> {
  const clock = systemClock();
  await using opened = new AsyncDisposableStack();
  const db = opened.use(await openPostgres({ url, poolSize: config.databasePool }));
  await db.migrate(stepsOf(source.manifest.body));
  const pages = await copyTables(url, source, scratch);
  await db.migrate(migrations);
  await prepareRestored(db, clock, revokeCredentials, takenAtOf(source));
  const blobs = opened.use(await openBlobs(config, db, clock));
  await storeBlobs(source, { db, blobs, config, clock });
  const checked = await checkWith({ db, blobs, key, config, clock });
  return { ...checked, faults: [...pages, ...checked.faults] };
}

/** Copies every table, each after those that it references. Resolves to damage of a SQLite file, in words. */
async function copyTables(url: string, source: BackupSource, scratch: string): Promise<readonly string[]> {
  await using client = await connect({ connectionString: url });
  await client.query('begin');
  const { engine, database } = source.manifest.body;
  let faults: readonly string[] = [];
  if (engine === 'sqlite') {
    const file = databaseFile(scratch);
    await requireFree(scratch, databaseBytes(source), 'Reading the backup');
    await loadIntoSqlite(source, file);
    faults = await checkSqlite(file);
    if (faults.length === 0) await copySqliteTables(file, client);
  } else {
    for (const { name, columns } of database) {
      if (name === RECORD) continue;
      const list = (columns ?? []).map((column) => escapeIdentifier(column)).join(', ');
      const into = client.query(copyFrom(`copy ${escapeIdentifier(name)} (${list}) from stdin`));
      await pipeline(source.part(name), into);
    }
  }
  await client.query('commit');
  await client.query('analyze');
  return faults;
}

/** Replaces the current tables by those of a schema; resolves to the new schema of the old ones, null without any. */
export async function replaceTables(client: Client, servers: readonly string[], from: string): Promise<string | null> {
  await client.query('begin');
  try {
    const schema = (await client.query<{ name: string }>('select current_schema()::text as name')).rows[0]?.name;
    if (schema === undefined) throw new BackupError('The database has no schema to restore into.');
    const present = await tablesIn(client, schema);
    const restorePoint = present.length === 0 ? null : `${POINT_PREFIX}${backupName(new Date()).toLowerCase()}`;
    if (restorePoint !== null) await client.query(`create schema ${escapeIdentifier(restorePoint)}`);
    for (const table of present) await move(client, schema, table, restorePoint ?? '');
    for (const table of await tablesIn(client, from)) await move(client, from, table, schema);
    // A server that starts now waits for the locks of this transaction, before it has read anything.
    if (await serverRuns(client, servers)) throw serverConnected();
    await client.query('commit');
    return restorePoint;
  } catch (error) {
    await client.query('rollback').catch(() => undefined);
    throw error;
  }
}

async function move(client: Client, from: string, table: string, to: string): Promise<void> {
  const name = `${escapeIdentifier(from)}.${escapeIdentifier(table)}`;
  await client.query(`alter table ${name} set schema ${escapeIdentifier(to)}`);
}

async function tablesIn(client: Client, schema: string): Promise<string[]> {
  const sql = "select relname::text as name from pg_class where relkind = 'r' and relnamespace = $1::regnamespace";
  const { rows } = await client.query<{ name: string }>(sql, [escapeIdentifier(schema)]);
  return rows.map(({ name }) => name);
}

/** Throws BackupError while another restore runs, or a server. */
export async function requireAlone(client: Client, servers: readonly string[]): Promise<void> {
  const { rows } = await client.query<{ locked: boolean }>('select pg_try_advisory_lock($1) as locked', [LOCK]);
  if (rows[0]?.locked !== true) throw new BackupError('Another restore into this database is running.');
  await requireNoServer(client, servers);
}

/** Throws BackupError while a server is connected to the database. */
export async function requireNoServer(client: Client, servers: readonly string[]): Promise<void> {
  const until = performance.now() + STOPPING_MS;
  while (await serverRuns(client, servers)) {
    if (performance.now() > until) throw serverConnected();
    await delay(200);
  }
}

/** The names of the connections by which a running server is known. */
export function serversOf({ databaseUrl, databaseDirectUrl }: Config): readonly string[] {
  // A pooler keeps its connections open when the server behind it has stopped.
  const isPooled = databaseDirectUrl !== null && databaseDirectUrl.reveal() !== databaseUrl?.reveal();
  return isPooled ? ['notevault bus'] : ['notevault', 'notevault bus'];
}

async function serverRuns(client: Client, servers: readonly string[]): Promise<boolean> {
  const sql = `select exists (select from pg_stat_activity
    where datname = current_database() and application_name = any($1) and pid <> pg_backend_pid()) as runs`;
  const { rows } = await client.query<{ runs: boolean }>(sql, [servers]);
  return rows[0]?.runs === true;
}

function serverConnected(): BackupError {
  return new BackupError(
    'A server is connected to the database: stop every server on it, then restore. Nothing was changed.',
  );
}

/** The address of a database with another schema in front. */
export function inSchema(url: string, schema: string): string {
  const address = new URL(url);
  const given = address.searchParams.get('options');
  address.searchParams.set('options', `${given === null ? '' : `${given} `}-c search_path=${schema}`);
  return address.href;
}

export async function listPointsOfPostgres(config: Config): Promise<RestorePoint[]> {
  await using client = await connectToRestore(config);
  return await pointsOf(client);
}

async function pointsOf(client: Client): Promise<RestorePoint[]> {
  const { rows } = await client.query<{ name: string; bytes: string }>(
    `select n.nspname::text as name, coalesce(sum(pg_total_relation_size(c.oid)), 0)::text as bytes
      from pg_namespace n join pg_class c on c.relnamespace = n.oid and c.relkind = 'r'
      where starts_with(n.nspname::text, $1) group by n.nspname order by n.nspname`,
    [POINT_PREFIX],
  );
  return rows.map(({ name, bytes }) => ({ name, bytes: Number(bytes) }));
}

/**
 * Returns to a restore point of a PostgreSQL database. Its own tables are brought up to date, which can be repeated, and
 * change places with the present ones in one transaction.
 */
export async function returnToPointOfPostgres(config: Config, name: string, revokeCredentials: boolean) {
  const servers = serversOf(config);
  await using client = await connectToRestore(config);
  await requireAlone(client, servers);
  const checked = await prepareReturn(config, inSchema(directUrlOf(config) ?? '', name), revokeCredentials);
  requireHealthy(checked);
  await requireNoServer(client, servers);
  const restorePoint = await replaceTables(client, servers, name);
  await client.query(`drop schema ${escapeIdentifier(name)}`);
  return { checked, restorePoint };
}

/** Brings the tables of the point up to date, and tries them. */
async function prepareReturn(config: Config, url: string, revokeCredentials: boolean): Promise<CopyCheck> {
  const clock = systemClock();
  await using opened = new AsyncDisposableStack();
  const db = opened.use(await openPostgres({ url, poolSize: config.databasePool }));
  await db.migrate(migrations);
  await prepareRestored(db, clock, revokeCredentials);
  const blobs = opened.use(await openBlobs(config, db, clock));
  const key = await masterKeyFor(config, db, clock, { unfinishedRotation: false });
  return await checkWith({ db, blobs, key, config, clock });
}

/** Copies the rows of a SQLite database into the tables of PostgreSQL, which are at the same schema and empty. */
async function copySqliteTables(file: string, client: Client): Promise<void> {
  using db = new DatabaseSync(file, { readOnly: true });
  for (const table of await tablesInOrder(client)) {
    if (table === RECORD) continue;
    const columns = await columnsOf(client, table);
    const list = columns.map((column) => escapeIdentifier(column)).join(', ');
    const into = client.query(copyFrom(`copy ${escapeIdentifier(table)} (${list}) from stdin`));
    await pipeline(Readable.from(rowsOf(db, table, columns), { objectMode: false }), into);
  }
}

/** The rows of a table in the text format of COPY. */
function* rowsOf(db: DatabaseSync, table: string, columns: readonly string[]): Generator<string> {
  const select = db.prepare(`select ${columns.map((column) => `"${column}"`).join(', ')} from "${table}"`);
  // Exact for integers beyond those of a double.
  select.setReadBigInts(true);
  let piece = '';
  for (const row of select.iterate()) {
    piece += copyRow(columns.map((column) => textOf(row[column] ?? null)));
    if (piece.length < PIECE_CHARACTERS) continue;
    yield piece;
    piece = '';
  }
  if (piece !== '') yield piece;
}

function textOf(value: SQLOutputValue): string | null {
  if (value instanceof Uint8Array)
    return `\\x${Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('hex')}`;
  return value === null ? null : String(value);
}
