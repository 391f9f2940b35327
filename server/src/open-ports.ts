import { existsSync } from 'node:fs';
import { mkdir, rm, stat } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyBaseLogger } from 'fastify';
import { freeBytesOf } from './backup/files.ts';
import { type Config, directUrlOf } from './config/config.ts';
import type { BlobStore } from './config/values.ts';
import { databaseFile, NoRoomForUpgrade } from './data/data-folder.ts';
import { migrations } from './data/migrations.ts';
import { beginFeedEpochs } from './domains/content/vaults/vaults.ts';
import { countKeysByMaster } from './domains/foundation/keys/keys.ts';
import { type AnalyticsSink, logSink, posthogSink } from './ports/analytics/analytics.ts';
import type { Blobs } from './ports/blobs/blobs.ts';
import { databaseBlobs } from './ports/blobs/database.ts';
import { openDiskBlobs } from './ports/blobs/disk.ts';
import type { Bus } from './ports/bus/bus.ts';
import { MemoryHub } from './ports/bus/memory.ts';
import { type Clock, systemClock } from './ports/clock/clock.ts';
import { DatabaseClock } from './ports/clock/database-clock.ts';
import type { Database, WriteHandle } from './ports/database/database.ts';
import { copySqlite } from './ports/database/sqlite/snapshot.ts';
import { openSqlite } from './ports/database/sqlite/sqlite.ts';
import { threadedBuiltin } from './ports/embedder/builtin.ts';
import type { Embedder } from './ports/embedder/embedder.ts';
import { httpEmbedder } from './ports/embedder/http.ts';
import { ThreadedEmbedder } from './ports/embedder/threaded.ts';
import { syncFolder } from './ports/fsync/fsync.ts';
import type { IdentityProvider } from './ports/identity-provider/identity-provider.ts';
import { openIdProvider } from './ports/identity-provider/openid-client.ts';
import { readKeyFile, writeKeyFile } from './ports/keyring/key-file.ts';
import { type Keyring, KeyringError } from './ports/keyring/keyring.ts';
import { MASTER_KEY_BYTES, MasterKeyring } from './ports/keyring/master-key.ts';
import type { Mailer } from './ports/mail/mail.ts';
import { noMailer } from './ports/mail/none.ts';
import { smtpMailer } from './ports/mail/smtp.ts';
import { createSafeFetch } from './ports/safe-fetch/public-fetch.ts';
import type { SafeFetch } from './ports/safe-fetch/safe-fetch.ts';
import type { Tracing } from './ports/tracing/tracing.ts';
import { loadOptional } from './program/optional-packages.ts';
import { version } from './version.ts';

/** Closing them flushes and releases everything. */
export interface Ports extends AsyncDisposable {
  readonly db: Database;
  readonly keyring: Keyring;
  readonly blobs: Blobs;
  readonly bus: Bus;
  readonly embedder: Embedder;
  readonly clock: Clock;
  readonly fetcher: SafeFetch;
  readonly mailer: Mailer;
  /** Source of the master key, in words. */
  readonly keyOrigin: string;
  /** Whether this start created the master key. */
  readonly madeKey: boolean;
}

export const keyFile = (dataDir: string) => join(dataDir, 'master.key');
/** The file of the new key during a rotation, until all data is under it. */
export const nextKeyFile = (dataDir: string) => join(dataDir, 'master.key.new');

/** The file in which a rotation keeps the previous key. */
export const oldKeyFile = (dataDir: string, masterKeyId: string) => `${keyFile(dataDir)}.old-${masterKeyId}`;

/**
 * Returns the clock for everything that shares a database: on PostgreSQL the database's, because the servers' clocks
 * may differ.
 */
export function sharedClock(config: Config, machine: Clock = systemClock()): Clock {
  return config.databaseUrl === null ? machine : new DatabaseClock(machine);
}

export async function openPorts(config: Config, machine?: Clock): Promise<Ports> {
  await using opened = new AsyncDisposableStack();
  const clock = sharedClock(config, machine);
  const db = opened.use(await openDatabase(config, clock));
  const key = await masterKeyFor(config, db, clock, { unfinishedRotation: false });
  const keyring = new MasterKeyring(key.bytes, clock.random);
  const blobs = opened.use(await openBlobs(config, db, clock));
  const bus = opened.use(await openBus(config));
  const embedder = opened.use(openEmbedder(config, clock));
  const closing = opened.move();
  return {
    db,
    keyring,
    blobs,
    bus,
    embedder,
    clock,
    fetcher: createSafeFetch(),
    mailer: openMailer(config),
    keyOrigin: key.origin,
    madeKey: key.made,
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  };
}

/** Opens the embedder. Nothing is loaded or requested before its first use. */
export function openEmbedder(config: Config, clock: Clock): Embedder {
  const { embedder, embedderModel: model, embedderUrl: url, embedderKey, embedderThreads } = config;
  if (embedder === 'onnx' && model !== null) {
    const folder = resolve(model);
    const threads = embedderThreads ?? Math.max(1, Math.floor(availableParallelism() / 4));
    return new ThreadedEmbedder(basename(folder), { kind: 'onnx', folder, threads }, clock);
  }
  if (embedder === 'http' && model !== null && url !== null) {
    const jitter = () => clock.random(1).readUInt8(0) / 256;
    const wait = (ms: number, signal: AbortSignal) => delay(ms, undefined, { signal });
    return httpEmbedder({ url, model, key: embedderKey?.reveal() ?? null, now: clock.now, jitter, delay: wait });
  }
  return threadedBuiltin(clock);
}

export function openMailer({ smtpUrl: url, mailFrom: from }: Config): Mailer {
  return url === null || from === null ? noMailer() : smtpMailer({ url: url.reveal(), from });
}

/** Null if none is configured. Nothing is loaded or requested before its first use. */
export function openIdentityProvider(config: Config, publicUrl: string, clock: Clock): IdentityProvider | null {
  const { oidcIssuer: issuer, oidcClientId: clientId, oidcClientSecret, oidcScopes: scopes } = config;
  if (issuer === null || clientId === null) return null;
  const redirectUri = `${publicUrl}/api/auth/oidc/callback`;
  return openIdProvider({
    ...{ issuer, clientId, redirectUri, scopes, clock },
    clientSecret: oidcClientSecret?.reveal() ?? null,
  });
}

/** Null if none is configured. */
export function openAnalytics(config: Config, log: FastifyBaseLogger): AnalyticsSink | null {
  const { analytics, analyticsUrl: url, analyticsKey: key, analyticsEraseKey: eraseKey, analyticsProject } = config;
  if (analytics === 'log') return logSink((labels) => log.info(labels, 'analytics'));
  if (analytics !== 'posthog' || url === null || key === null || eraseKey === null) return null;
  return posthogSink({ url, key: key.reveal(), eraseKey: eraseKey.reveal(), project: analyticsProject });
}

/** Null if none is configured, in which case its code is not loaded. */
export async function openTracing(config: Config, clock: Clock, log: FastifyBaseLogger): Promise<Tracing | null> {
  const { otlpUrl: url } = config;
  if (url === null) return null;
  const packages = ['core', 'exporter-trace-otlp-http', 'resources', 'sdk-trace'].map(
    (name) => `@opentelemetry/${name}`,
  );
  const load = () => import('./ports/tracing/otlp.ts');
  const { otlpTracing } = await loadOptional('NOTEVAULT_OTLP_URL', packages, load);
  const failed = () => log.warn('traces cannot be sent; said once until they can');
  return otlpTracing({ url, version, random: clock.random, failed });
}

export const blobsFolder = (dataDir: string) => join(dataDir, 'blobs');

/** @param singleProcess whether no other process stores blobs in the data folder. */
export async function openBlobs(
  config: Config,
  db: Database,
  clock: Clock,
  singleProcess = config.databaseUrl === null,
): Promise<Blobs> {
  const store = blobStoreOf(config);
  switch (store.kind) {
    case 'disk':
      // With SQLite, the data folder is locked for this process.
      return openDiskBlobs({ folder: blobsFolder(config.dataDir), clock, singleProcess });
    case 'database':
      return databaseBlobs(db, clock);
    case 's3': {
      const { s3Endpoint: endpoint, s3Addressing } = config;
      const addressing = s3Addressing ?? (endpoint === null ? 'host' : 'path');
      // Imported only if needed, because the client costs a tenth of a second and 40 MB.
      const load = () => import('./ports/blobs/s3.ts');
      const { s3Blobs } = await loadOptional('NOTEVAULT_BLOBS=s3', ['@aws-sdk/client-s3'], load);
      return s3Blobs({ bucket: store.bucket, prefix: store.prefix, endpoint, addressing, clock });
    }
  }
}

/** The blob store. Processes that share a database do not share a disk, unless configured so. */
export function blobStoreOf(config: Config): BlobStore {
  return config.blobs ?? { kind: config.databaseUrl === null ? 'disk' : 'database' };
}

/** Opens the bus between processes; with SQLite there is only one. */
async function openBus(config: Config): Promise<Bus> {
  const url = directUrlOf(config);
  if (url === null) return new MemoryHub().join();
  const { openPostgresBus } = await import('./ports/bus/postgres.ts');
  return openPostgresBus({ url });
}

/**
 * Opens the configured database at the latest schema. Before the first step of an upgrade, an embedded database is
 * copied into a folder beside it.
 *
 * @param clock set to the database's time if it is that of `sharedClock`.
 * @param steps of the schema; other ones in tests of upgrades.
 */
export async function openDatabase(config: Config, clock = sharedClock(config), steps = migrations): Promise<Database> {
  await mkdir(config.dataDir, { recursive: true, mode: 0o700 });
  const db = await openDatabaseAsIs(config, clock);
  try {
    await db.migrate(steps, () => copyBeforeUpgrade(config));
    return db;
  } catch (error) {
    await db[Symbol.asyncDispose]();
    throw error;
  }
}

/**
 * Copies the SQLite database before an upgrade. With PostgreSQL the operator takes a backup: copying it would hold up
 * every process.
 */
async function copyBeforeUpgrade({ databaseUrl, dataDir }: Config): Promise<void> {
  if (databaseUrl !== null) return;
  const file = databaseFile(dataDir);
  const [needed, free] = [await sizeOf(file, `${file}-wal`), await freeBytesOf(dataDir)];
  if (needed > free) throw new NoRoomForUpgrade(dataDir, needed, free);
  const folder = join(dataDir, `before-upgrade-${new Date().toISOString().replaceAll(/[-:.]/g, '')}`);
  await mkdir(folder, { mode: 0o700 });
  try {
    await copySqlite(file, databaseFile(folder));
    await syncFolder(folder);
    await syncFolder(dataDir);
  } catch (error) {
    // It would take the room of the next attempt, and looks like a copy to go back to.
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

/** Total size of the files that exist, in bytes. */
async function sizeOf(...files: string[]): Promise<number> {
  const sizes = await Promise.all(
    files.map((file) =>
      stat(file).then(
        ({ size }) => size,
        () => 0,
      ),
    ),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** Opens the configured database at the schema that it has. */
export async function openDatabaseAsIs(config: Config, clock = sharedClock(config)): Promise<Database> {
  const { databaseUrl, databasePool: poolSize, databasePrepared } = config;
  if (databaseUrl === null) return openSqlite({ file: databaseFile(config.dataDir) });
  const { openPostgres } = await import('./ports/database/postgres/postgres.ts');
  const prepared = databasePrepared === 'on';
  const observer = {
    timeRead: (now: number, roundTripMs: number) => {
      if (clock instanceof DatabaseClock) clock.adjust(now, roundTripMs);
    },
    // Cursors may name changes that the server which took over does not have.
    serverChanged: async (handle: WriteHandle) => void (await beginFeedEpochs(handle, clock)),
  };
  return openPostgres({ url: databaseUrl.reveal(), directUrl: directUrlOf(config), poolSize, prepared, observer });
}

interface MasterKeySource {
  readonly bytes: Buffer;
  readonly origin: string;
  readonly made: boolean;
}

/**
 * Returns the master key that fits the database: the configured one, or that of the key file. A key is created only for
 * a database without keys. Throws KeyringError when the key is missing or wrong, or when only a part of the data keys
 * is under it.
 *
 * @param allow `unfinishedRotation`: some data keys may already be under a newer master key.
 */
export async function masterKeyFor(
  config: Config,
  db: Database,
  clock: Clock,
  allow: { unfinishedRotation: boolean },
): Promise<MasterKeySource> {
  const counts = await countKeysByMaster(db);
  const found = await givenKey(config);
  if (found === null) {
    if (counts.length > 0) throw new KeyringError('unusable_master_key', missingKey(config, counts));
    return makeKey(keyFile(config.dataDir), clock);
  }
  const { masterKeyId } = new MasterKeyring(found.bytes, clock.random);
  const others = counts.filter((held) => held.masterKeyId !== masterKeyId);
  if (others.length > 0) {
    const begun = others.length < counts.length || (await isUnderNextKey(config, others, clock));
    if (!begun) throw new KeyringError('wrong_master_key', wrongKey(config, found.origin, masterKeyId, counts));
    if (!allow.unfinishedRotation) throw new KeyringError('wrong_master_key', CUT_SHORT);
  }
  return { ...found, made: false };
}

const CUT_SHORT =
  'A key rotation was interrupted: some data is already under the new master key. Run "notevault keys rotate" again to finish it.';

/** Whether an interrupted rotation had put all data under its new key, but had not yet replaced the key file. */
async function isUnderNextKey(config: Config, counts: readonly { masterKeyId: string }[], clock: Clock) {
  const next = config.masterKey === null ? await readKeyFile(nextKeyFile(config.dataDir)) : null;
  if (next === null) return false;
  const { masterKeyId } = new MasterKeyring(next, clock.random);
  return counts.every((held) => held.masterKeyId === masterKeyId);
}

/** Several processes may start on one empty database and data folder at once: all use the key that was made first. */
async function makeKey(file: string, clock: Clock): Promise<MasterKeySource> {
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

/** The master key of the configuration, or of the data folder; null when there is none yet. */
export async function givenKey(config: Config): Promise<Omit<MasterKeySource, 'made'> | null> {
  if (config.masterKey !== null) return { bytes: config.masterKey.reveal(), origin: 'NOTEVAULT_MASTER_KEY' };
  const file = keyFile(config.dataDir);
  const bytes = await readKeyFile(file);
  return bytes === null ? null : { bytes, origin: file };
}

function wrongKey(
  { dataDir }: Config,
  origin: string,
  masterKeyId: string,
  counts: readonly { masterKeyId: string }[],
): string {
  const needed = counts.map((held) => held.masterKeyId);
  const help = oldKeyHelp(dataDir, needed) ?? 'put the right key there.';
  return `The data is sealed under master key ${needed.join(', ')}, but ${origin} holds ${masterKeyId}. Nothing was changed: ${help}`;
}

/** Returns instructions for using the old key that a rotation kept for one of these ids; null if it kept none. */
export function oldKeyHelp(dataDir: string, masterKeyIds: readonly string[]): string | null {
  const file = masterKeyIds.map((id) => oldKeyFile(dataDir, id)).find((each) => existsSync(each));
  if (file === undefined) return null;
  return (
    `the key is that before a rotation, which is kept in ${file}. Run this with NOTEVAULT_MASTER_KEY="$(cat '${file}')", ` +
    'and after a restore the server too; "Rotating the master key" in docs/operations.md says how to go on with the present key.'
  );
}

function missingKey(config: Config, counts: readonly { masterKeyId: string }[]): string {
  const needed = counts.map(({ masterKeyId }) => masterKeyId).join(', ');
  return (
    `The database holds data sealed under master key ${needed}, but neither NOTEVAULT_MASTER_KEY nor ` +
    `${keyFile(config.dataDir)} is there. Put the key back from its backup: without it the data cannot be read, and no ` +
    'new key is made beside it.'
  );
}
