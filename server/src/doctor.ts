import { existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { Socket } from 'node:net';
import { counted } from '@notevault/protocol/values/counted.ts';
import { backupState } from './backup/take/lease.ts';
import { damageLines, findDamagedRows } from './backup/verify/damaged-rows.ts';
import { type Config, directUrlOf } from './config/config.ts';
import { DAMAGE_HELP, DAMAGED_ROWS_HELP } from './data/damage-help.ts';
import { adminSocketPath, DataFolderBusy, databaseFile, lockDataFolder, requireData } from './data/data-folder.ts';
import { openSamples } from './data/sealed-samples.ts';
import { beginFeedEpochs } from './domains/content/vaults/vaults.ts';
import { checkDataKeys, countKeysByMaster } from './domains/foundation/keys/keys.ts';
import { probeValue } from './http/monitoring/seen-request.ts';
import { examineBackups, examineMachine, machineStatus } from './machine-status.ts';
import {
  blobStoreOf,
  blobsFolder,
  givenKey,
  keyFile,
  masterKeyFor,
  openBlobs,
  openDatabase,
  openDatabaseAsIs,
  openEmbedder,
  openIdentityProvider,
  openMailer,
  sharedClock,
} from './open-ports.ts';
import { BlobError, probeBlobs } from './ports/blobs/blobs.ts';
import type { Clock } from './ports/clock/clock.ts';
import { type Database, DatabaseError } from './ports/database/database.ts';
import { checkPostgres } from './ports/database/postgres/check.ts';
import { checkSqlite } from './ports/database/sqlite/check.ts';
import { EmbedderError } from './ports/embedder/embedder.ts';
import { ProviderError } from './ports/identity-provider/identity-provider.ts';
import type { Keyring } from './ports/keyring/keyring.ts';
import { MasterKeyring } from './ports/keyring/master-key.ts';
import { MailError } from './ports/mail/mail.ts';
import { examinePublicAddress } from './public-address/examine.ts';

/** One check and its result, in words. */
export interface Finding {
  readonly what: string;
  readonly ok: boolean;
  /** Whether it is worth a look although nothing is wrong. */
  readonly warning?: boolean;
  readonly says: string;
}

/** A large model takes long to load. */
const EMBEDDER_MS = 60_000;

/** Records that the data was restored from a backup, so that clients that know of later writes read it again. */
export async function markAsRestored(config: Config): Promise<Finding> {
  requireData(config);
  await using opened = new AsyncDisposableStack();
  if (config.databaseUrl === null) opened.use(lockDataFolder(config.dataDir));
  const clock = sharedClock(config);
  const db = opened.use(await openDatabase(config, clock));
  const vaults = await db.transact((handle) => beginFeedEpochs(handle, clock), 'bulk');
  return { what: 'restored', ok: true, says: `clients of ${counted(vaults, 'vault')} will read them again` };
}

/** Reports the progress of a long check. */
export type DoctorProgress = (done: number, unit: 'seconds of reading pages' | 'rows opened') => void;

/**
 * Checks everything that a server needs before it starts; when one runs, how clients reach it. Changes nothing that a
 * start would not change too, and nothing at all beside a running server.
 *
 * @param progress called often during the long checks.
 */
export async function* examine(config: Config, progress: DoctorProgress = () => undefined): AsyncGenerator<Finding> {
  yield await examineFolder(config);
  yield* examineMachine(await machineStatus(config.dataDir), config.dataDir);
  if (config.databaseUrl === null && !existsSync(databaseFile(config.dataDir))) {
    yield { what: 'database', ok: true, says: 'not there yet; a start makes it, and a key' };
    return;
  }
  await using opened = new AsyncDisposableStack();
  if (config.databaseUrl === null) {
    try {
      opened.use(lockDataFolder(config.dataDir));
    } catch (error) {
      if (!(error instanceof DataFolderBusy)) throw error;
      const answers = await listens(adminSocketPath(config.dataDir));
      const says = answers ? 'a server runs on this data folder; its data is read beside it' : error.message;
      yield { what: 'server', ok: answers, says };
      if (answers) yield* examineBesideServer(config, progress);
      return;
    }
  }
  yield await examinePages(config, progress);
  const clock = sharedClock(config);
  const db = yield* attempt(
    'database',
    async () => opened.use(await openDatabase(config, clock)),
    (found) => `${found.engine}, schema up to date`,
  );
  if (db === null) return;
  yield await examineBackupsOf(db, config, clock.now);
  yield await examineBlobs(config, db, clock);
  yield await examineEmbedder(config, clock);
  yield await examineMail(config);
  yield* examineProvider(config, clock);
  const key = yield* attempt(
    'master key',
    () => masterKeyFor(config, db, clock, { unfinishedRotation: false }),
    (found) => `from ${found.origin}`,
  );
  if (key === null) return;
  const keyring = new MasterKeyring(key.bytes, clock.random);
  yield* examineSealed(db, keyring, progress);
  const url = directUrlOf(config);
  if (url !== null) yield* examineServers(config, url, keyring, clock);
}

/** Checks the keys and sealed values. */
async function* examineSealed(db: Database, keyring: Keyring, progress: DoctorProgress): AsyncGenerator<Finding> {
  yield* attempt(
    'data keys',
    async () => {
      await checkDataKeys(db, keyring);
      return (await countKeysByMaster(db)).reduce((sum, { keys }) => sum + keys, 0);
    },
    (held) => `all ${held} open`,
  );
  yield await examineRows(db, keyring, progress);
  yield await examineValues(db, keyring);
}

/** Reads the data of a running server, and checks its public address by the key that both have. */
async function* examineBesideServer(config: Config, progress: DoctorProgress): AsyncGenerator<Finding> {
  const clock = sharedClock(config);
  const { random, now } = clock;
  const key = yield* attempt(
    'master key',
    () => givenKey(config),
    (found) =>
      found === null
        ? 'not known here, so neither sealed rows nor how requests arrive are checked'
        : `from ${found.origin}`,
  );
  const keyring = key === null ? null : new MasterKeyring(key.bytes, random);
  yield* examinePublicAddress(config, keyring === null ? null : probeValue(keyring, now()));
  yield await examineMail(config);
  yield* examineProvider(config, clock);
  yield await examinePages(config, progress);
  await using opened = new AsyncDisposableStack();
  const db = yield* attempt(
    'database',
    async () => opened.use(await openDatabaseAsIs(config, clock)),
    (found) => `${found.engine}, read beside the server`,
  );
  if (db === null) return;
  yield await examineBackupsOf(db, config, now);
  if (keyring !== null) yield* examineSealed(db, keyring, progress);
}

/** Checks for leftovers of a restore, and the public address of the servers on a database. */
async function* examineServers(config: Config, url: string, keyring: Keyring, clock: Clock): AsyncGenerator<Finding> {
  const { examineRestore } = await import('./backup/restore/unfinished-restore.ts');
  const left = await examineRestore(url);
  if (left !== null) yield left;
  const { countServers } = await import('./ports/database/postgres/check.ts');
  const servers = await countServers(url);
  const what = 'servers';
  if (servers === 0) {
    yield { what, ok: true, says: 'none is running; the public address is checked beside one' };
    return;
  }
  yield { what, ok: true, says: `${servers} on this database` };
  yield* examinePublicAddress(config, probeValue(keyring, clock.now()));
}

async function examineBackupsOf(db: Database, config: Config, now: Clock['now']): Promise<Finding> {
  try {
    return examineBackups(await backupState(db, { now }), now(), config.backupDir);
  } catch (error) {
    return { what: 'backup', ok: false, says: error instanceof Error ? error.message : String(error) };
  }
}

async function examineRows(db: Database, keyring: Keyring, progress: DoctorProgress): Promise<Finding> {
  const what = 'rows of vaults';
  try {
    const damage = await findDamagedRows(db, keyring, (rows) => progress(rows, 'rows opened'));
    if (damage.damaged === 0) return { what, ok: true, says: `all ${damage.opened} open` };
    const lines = damageLines(damage).map((line) => `\n        ${line}`);
    const of = damage.opened + damage.damaged;
    return { what, ok: false, says: `${damage.damaged} of ${of} are damaged. ${DAMAGED_ROWS_HELP}${lines.join('')}` };
  } catch (error) {
    return { what, ok: false, says: error instanceof Error ? error.message : String(error) };
  }
}

async function examineValues(db: Database, keyring: Keyring): Promise<Finding> {
  const what = 'sealed values';
  try {
    const { opened, damaged, rebuilt } = await openSamples(db, keyring);
    if (damaged.length === 0 && rebuilt.length > 0) {
      const says = `a value of ${rebuilt.join(', ')} does not open: run "notevault reindex", which makes it again`;
      return { what, ok: true, warning: true, says };
    }
    if (damaged.length === 0) return { what, ok: true, says: `one of each table opened, ${opened.length} in all` };
    return { what, ok: false, says: `damaged: a value of ${damaged.join(', ')} does not open. ${DAMAGE_HELP}` };
  } catch (error) {
    return { what, ok: false, says: error instanceof Error ? error.message : String(error) };
  }
}

/** Checks all stored pages before anything else opens them. */
async function examinePages(config: Config, progress: DoctorProgress): Promise<Finding> {
  const what = 'stored pages';
  const damaged = (faults: readonly string[]) => {
    return { what, ok: false, says: `damaged: ${faults.join('; ')}. ${DAMAGE_HELP}` };
  };
  try {
    const url = directUrlOf(config);
    if (url === null) {
      const faults = await checkSqlite(databaseFile(config.dataDir), (seconds) =>
        progress(seconds, 'seconds of reading pages'),
      );
      return faults.length > 0 ? damaged(faults) : { what, ok: true, says: 'tables and indexes hold together' };
    }
    const { tables, indexes, checksums, faults } = await checkPostgres(url);
    if (faults.length > 0) return damaged(faults);
    const more = [
      indexes > 0
        ? `${indexes} indexes compared with them`
        : 'indexes not compared: the extension amcheck is not there',
      ...(checksums ? [] : ['data checksums are off, so not every damaged page shows']),
    ];
    return { what, ok: true, says: `every value of ${tables} tables read; ${more.join('; ')}` };
  } catch (error) {
    if (error instanceof DatabaseError && error.damaged) return damaged([error.message]);
    return { what, ok: false, says: error instanceof Error ? error.message : String(error) };
  }
}

/** Stores, reads and deletes a blob where attachments are stored. */
async function examineBlobs(config: Config, db: Database, clock: Clock): Promise<Finding> {
  const what = 'attachments';
  const { name, help } = describeBlobs(config);
  try {
    await using blobs = await openBlobs(config, db, clock);
    await probeBlobs(blobs, clock);
    return { what, ok: true, says: `${name}; written, read and deleted` };
  } catch (error) {
    if (!(error instanceof BlobError)) throw error;
    return { what, ok: false, says: `${name}: ${error.message} ${help}` };
  }
}

/** Connects and signs in to the mail server. */
async function examineMail(config: Config): Promise<Finding> {
  const what = 'mail';
  const mailer = openMailer(config);
  if (!mailer.isOn) return { what, ok: true, says: 'none is sent: NOTEVAULT_SMTP_URL is not set' };
  try {
    await mailer.check();
    return { what, ok: true, says: 'the mail server takes the connection and the sign-in' };
  } catch (error) {
    if (!(error instanceof MailError)) throw error;
    return { what, ok: false, says: `${error.message} Mails wait for a day.` };
  }
}

/** Reads the metadata of the OpenID Connect provider, if there is one. */
async function* examineProvider(config: Config, clock: Clock): AsyncGenerator<Finding> {
  const what = 'sign-in provider';
  // The address to come back to is not part of the metadata.
  const provider = openIdentityProvider(config, config.publicUrl ?? '', clock);
  if (provider === null) return;
  const issuer = config.oidcIssuer;
  try {
    await provider.check();
    yield { what, ok: true, says: `${issuer} answers` };
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    const detail = error.detail === null ? '' : ` (${error.detail})`;
    const says = `${issuer} does not answer as an OpenID Connect provider${detail}: see that NOTEVAULT_OIDC_ISSUER is its issuer to the letter, and that this machine reaches it`;
    yield { what, ok: false, says };
  }
}

/** Makes a vector. If that fails, search works by keyword only. */
async function examineEmbedder(config: Config, clock: Clock): Promise<Finding> {
  const what = 'search vectors';
  await using embedder = openEmbedder(config, clock);
  const signal = AbortSignal.timeout(EMBEDDER_MS);
  try {
    const { dimensions } = await embedder.space(signal);
    await embedder.embedPassages([{ about: 'Notevault', text: 'A note to try the model with.' }], signal);
    return { what, ok: true, says: `${config.embedder}, ${dimensions} dimensions; made one` };
  } catch (error) {
    if (!(error instanceof EmbedderError) && !signal.aborted) throw error;
    const says = error instanceof EmbedderError ? error.message : `no vector within ${EMBEDDER_MS / 1000} s`;
    return { what, ok: false, says: `${config.embedder}: ${says} Until then search finds by keyword only.` };
  }
}

function describeBlobs(config: Config): { name: string; help: string } {
  const store = blobStoreOf(config);
  switch (store.kind) {
    case 'disk': {
      const folder = blobsFolder(config.dataDir);
      return { name: `in ${folder}`, help: `Give this user the folder (chown) and see that its disk has room.` };
    }
    case 'database':
      return { name: 'in the database', help: 'See that the database takes writes and its disk has room.' };
    case 's3':
      return {
        name: `in s3://${store.bucket}/${store.prefix}`,
        help: 'See that the bucket is there, that AWS_REGION, the credentials and NOTEVAULT_S3_ENDPOINT are right, and that they may get, put, delete and list objects and uploads.',
      };
  }
}

/** Runs a check that either returns its result or fails; yields its finding, and returns the result or null. */
async function* attempt<T>(
  what: string,
  work: () => Promise<T>,
  says: (made: T) => string,
): AsyncGenerator<Finding, T | null> {
  try {
    const made = await work();
    yield { what, ok: true, says: says(made) };
    return made;
  } catch (error) {
    yield { what, ok: false, says: error instanceof Error ? error.message : String(error) };
    return null;
  }
}

async function examineFolder(config: Config): Promise<Finding> {
  const what = 'data folder';
  const found = await stat(config.dataDir).catch(() => null);
  if (found === null) return { what, ok: true, says: `${config.dataDir} is not there yet; a start makes it` };
  if (!found.isDirectory()) return { what, ok: false, says: `${config.dataDir} is no folder` };
  if ((found.mode & 0o007) !== 0) {
    return {
      what,
      ok: false,
      says: `every user of this machine can look into ${config.dataDir}: run "chmod 700 ${config.dataDir}"`,
    };
  }
  return { what, ok: true, says: `${config.dataDir}, key file ${keyFile(config.dataDir)}` };
}

function listens(socketPath: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = new Socket();
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.connect(socketPath).unref();
    socket.once('connect', () => socket.destroy());
  });
}
