import { mkdir } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyBaseLogger } from 'fastify';
import type { Config } from './config/config.ts';
import type { BlobStore } from './config/values.ts';
import { databaseFile } from './data-folder.ts';
import { keyCensus } from './domains/keys/keys.ts';
import type { AnalyticsSink } from './engines/analytics/analytics.ts';
import { logSink } from './engines/analytics/log-sink.ts';
import { posthogSink } from './engines/analytics/posthog-sink.ts';
import type { Blobs } from './engines/blobs/blobs.ts';
import { databaseBlobs } from './engines/blobs/database.ts';
import { openDiskBlobs } from './engines/blobs/disk.ts';
import type { Bus } from './engines/bus/bus.ts';
import { MemoryHub } from './engines/bus/memory.ts';
import { openPostgresBus } from './engines/bus/postgres.ts';
import { type Clock, systemClock } from './engines/clock/clock.ts';
import type { Database } from './engines/database/database.ts';
import { openPostgres } from './engines/database/postgres.ts';
import { openSqlite } from './engines/database/sqlite.ts';
import { threadedBuiltin } from './engines/embedder/builtin.ts';
import type { Embedder } from './engines/embedder/embedder.ts';
import { httpEmbedder } from './engines/embedder/http.ts';
import { threadedEmbedder } from './engines/embedder/threaded.ts';
import { readKeyFile, writeKeyFile } from './engines/keyring/key-file.ts';
import { type Keyring, KeyringError } from './engines/keyring/keyring.ts';
import { MASTER_KEY_BYTES, MasterKeyring } from './engines/keyring/master-key.ts';
import type { Tracing } from './engines/tracing/tracing.ts';
import { publicWeb } from './engines/web/public-web.ts';
import type { PublicWeb } from './engines/web/web.ts';
import { migrations } from './migrations.ts';
import { version } from './version.ts';

/** The ports of a process, opened. Closing them flushes and releases everything. */
export interface Engines extends AsyncDisposable {
  readonly db: Database;
  readonly keyring: Keyring;
  readonly blobs: Blobs;
  readonly bus: Bus;
  readonly embedder: Embedder;
  /** Whether no other process uses the database. */
  readonly alone: boolean;
  readonly clock: Clock;
  readonly web: PublicWeb;
  /** Where the master key came from, for people. */
  readonly keyOrigin: string;
  /** Whether this start made the master key. */
  readonly madeKey: boolean;
}

export const keyFile = (dataDir: string) => join(dataDir, 'master.key');
/** The key that a rotation puts data under, until all of it is. */
export const nextKeyFile = (dataDir: string) => join(dataDir, 'master.key.new');

/** Opens what the configuration names: data folder, database at the latest schema, master key, blobs. */
export async function openEngines(config: Config, clock: Clock = systemClock()): Promise<Engines> {
  await using opened = new AsyncDisposableStack();
  const db = opened.use(await openDatabase(config));
  const key = await masterKeyFor(config, db, clock, { unfinishedRotation: false });
  const keyring = new MasterKeyring(key.bytes, clock.random);
  const blobs = opened.use(await openBlobs(config, db, clock));
  const bus = opened.use(await openBus(config));
  const embedder = opened.use(openEmbedder(config, clock));
  const closing = opened.move();
  return {
    ...{ db, keyring, blobs, bus, embedder, clock, web: publicWeb(), alone: config.databaseUrl === null },
    ...{ keyOrigin: key.origin, madeKey: key.made },
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  };
}

/** What the configuration says makes vectors. Nothing is loaded or asked before it is used. */
export function openEmbedder(config: Config, clock: Clock): Embedder {
  const { embedder, embedderModel: model, embedderUrl: url, embedderKey, embedderThreads } = config;
  if (embedder === 'onnx' && model !== null) {
    const folder = resolve(model);
    const threads = embedderThreads ?? Math.max(1, Math.floor(availableParallelism() / 4));
    return threadedEmbedder(basename(folder), { kind: 'onnx', folder, threads });
  }
  if (embedder === 'http' && model !== null && url !== null) {
    const jitter = () => clock.random(1).readUInt8(0) / 256;
    const wait = (ms: number, signal: AbortSignal) => delay(ms, undefined, { signal });
    return httpEmbedder({ url, model, key: embedderKey?.reveal() ?? null, now: clock.now, jitter, delay: wait });
  }
  return threadedBuiltin();
}

/** Where product analytics go; null: nowhere. */
export function openAnalytics(config: Config, log: FastifyBaseLogger): AnalyticsSink | null {
  const { analytics, analyticsUrl: url, analyticsKey: key, analyticsEraseKey: eraseKey, analyticsProject } = config;
  if (analytics === 'log') return logSink((labels) => log.info(labels, 'analytics'));
  if (analytics !== 'posthog' || url === null || key === null || eraseKey === null) return null;
  return posthogSink({ url, key: key.reveal(), eraseKey: eraseKey.reveal(), project: analyticsProject });
}

/** Where traces go; null: nowhere, and then nothing of it is loaded. */
export async function openTracing(config: Config, clock: Clock, log: FastifyBaseLogger): Promise<Tracing | null> {
  const { otlpUrl: url } = config;
  if (url === null) return null;
  const { otlpTracing } = await import('./engines/tracing/otlp.ts');
  const failed = () => log.warn('traces cannot be sent; said once until they can');
  return otlpTracing({ url, version, random: clock.random, failed });
}

export const blobsFolder = (dataDir: string) => join(dataDir, 'blobs');

/** Opens where the configuration keeps blobs. */
export async function openBlobs(config: Config, db: Database, clock: Clock): Promise<Blobs> {
  const store = blobStoreOf(config);
  switch (store.kind) {
    case 'disk':
      // With SQLite the data folder is locked for this process.
      return openDiskBlobs({ folder: blobsFolder(config.dataDir), clock, alone: config.databaseUrl === null });
    case 'database':
      return databaseBlobs(db, clock);
    case 's3': {
      const { s3Endpoint: endpoint, s3Addressing } = config;
      const addressing = s3Addressing ?? (endpoint === null ? 'host' : 'path');
      // Not before it is needed: the client costs a tenth of a second and 40 MB.
      const { s3Blobs } = await import('./engines/blobs/s3.ts');
      return s3Blobs({ bucket: store.bucket, prefix: store.prefix, endpoint, addressing, clock });
    }
  }
}

/** Processes that share a database share no disk, unless somebody says so. */
export function blobStoreOf(config: Config): BlobStore {
  return config.blobs ?? { kind: config.databaseUrl === null ? 'disk' : 'database' };
}

/** How this process hears of the others; with SQLite there are none. */
function openBus({ databaseUrl }: Config): Promise<Bus> {
  return databaseUrl === null
    ? Promise.resolve(new MemoryHub().join())
    : openPostgresBus({ url: databaseUrl.reveal() });
}

/** The configured database, at the latest schema. */
export async function openDatabase(config: Config): Promise<Database> {
  await mkdir(config.dataDir, { recursive: true, mode: 0o700 });
  const db =
    config.databaseUrl === null
      ? await openSqlite({ file: databaseFile(config.dataDir) })
      : await openPostgres({ url: config.databaseUrl.reveal(), poolSize: config.databasePool });
  try {
    await db.migrate(migrations);
    return db;
  } catch (error) {
    await db[Symbol.asyncDispose]();
    throw error;
  }
}

/** A master key and where it is from, for people. */
interface FoundKey {
  readonly bytes: Buffer;
  readonly origin: string;
  readonly made: boolean;
}

/**
 * The master key that fits the database: the configured one, or the key file's. A key is made only for a database that
 * holds no keys yet. Throws KeyringError when it is missing, wrong, or only a part of the data keys is under it.
 *
 * @param allow `unfinishedRotation`: some data keys may be under a newer master key already.
 */
export async function masterKeyFor(
  config: Config,
  db: Database,
  clock: Clock,
  allow: { unfinishedRotation: boolean },
): Promise<FoundKey> {
  const census = await keyCensus(db);
  const found = await givenKey(config);
  if (found === null) {
    if (census.length > 0) throw new KeyringError('unusable_master_key', missingKey(config, census));
    return makeKey(keyFile(config.dataDir), clock);
  }
  const { masterKeyId } = new MasterKeyring(found.bytes, clock.random);
  const others = census.filter((held) => held.masterKeyId !== masterKeyId);
  if (others.length > 0) {
    const begun = others.length < census.length || (await isUnderNextKey(config, others, clock));
    if (!begun) throw new KeyringError('wrong_master_key', wrongKey(found.origin, masterKeyId, census));
    if (!allow.unfinishedRotation) throw new KeyringError('wrong_master_key', CUT_SHORT);
  }
  return { ...found, made: false };
}

const CUT_SHORT =
  'A key rotation was cut short: some data is under the new master key already. Run "notevault keys rotate" again to finish it.';

/** Whether a rotation had got all data under the key it had made, but was cut short before it put that key in its place. */
async function isUnderNextKey(
  config: Config,
  census: readonly { masterKeyId: string }[],
  clock: Clock,
): Promise<boolean> {
  const next = config.masterKey === null ? await readKeyFile(nextKeyFile(config.dataDir)) : null;
  if (next === null) return false;
  const { masterKeyId } = new MasterKeyring(next, clock.random);
  return census.every((held) => held.masterKeyId === masterKeyId);
}

/** Several processes may start on one empty database and data folder at once: all take the key that is there first. */
async function makeKey(file: string, clock: Clock): Promise<FoundKey> {
  const bytes = clock.random(MASTER_KEY_BYTES);
  try {
    await writeKeyFile(file, bytes);
    return { bytes, origin: file, made: true };
  } catch (error) {
    const theirs = (error as NodeJS.ErrnoException).code === 'EEXIST' ? await readKeyFile(file) : null;
    if (theirs === null) throw error;
    return { bytes: theirs, origin: file, made: false };
  }
}

async function givenKey(config: Config): Promise<Omit<FoundKey, 'made'> | null> {
  if (config.masterKey !== null) return { bytes: config.masterKey.reveal(), origin: 'NOTEVAULT_MASTER_KEY' };
  const file = keyFile(config.dataDir);
  const bytes = await readKeyFile(file);
  return bytes === null ? null : { bytes, origin: file };
}

function wrongKey(origin: string, masterKeyId: string, census: readonly { masterKeyId: string }[]): string {
  const needed = census.map((held) => held.masterKeyId).join(', ');
  return `The data is sealed under master key ${needed}, but ${origin} holds ${masterKeyId}. Nothing was changed: put the right key there.`;
}

function missingKey(config: Config, census: readonly { masterKeyId: string }[]): string {
  const needed = census.map(({ masterKeyId }) => masterKeyId).join(', ');
  return (
    `The database holds data sealed under master key ${needed}, but neither NOTEVAULT_MASTER_KEY nor ` +
    `${keyFile(config.dataDir)} is there. Put the key back from its backup: without it the data cannot be read, and no ` +
    'new key is made beside it.'
  );
}
