import { existsSync } from 'node:fs';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { databaseFile, lockDataFolder } from '../../data/data-folder.ts';
import { finishRestore, stagedData, stagedMarker, stagingFolder } from '../../data/finish-restore.ts';
import { migrations } from '../../data/migrations.ts';
import { keyFile, openBlobs } from '../../open-ports.ts';
import { systemClock } from '../../ports/clock/clock.ts';
import { openSqlite } from '../../ports/database/sqlite/sqlite.ts';
import { readKeyFile, writeKeyFile } from '../../ports/keyring/key-file.ts';
import { freeBytesOf, once, writeFileDurably } from '../files.ts';
import { BackupError, backupName } from '../format.ts';
import { loadIntoSqlite } from '../read/load-sqlite.ts';
import { openBackup } from '../read/open-backup.ts';
import { checkWith } from '../verify/check-with.ts';
import {
  type CheckedBackup,
  checkBackup,
  type Restored,
  type RestoreRequest,
  requireHealthy,
  storeBlobs,
} from './check-backup.ts';
import { settleRestored } from './settle.ts';

/** What the names of restore points begin with. */
export const POINT_PREFIX = 'restore-point-';
const SPARE_BYTES = 256 * 1024 * 1024;
/** Files that may be in a folder without data. */
const NO_DATA = new Set(['master.key', 'lock.sqlite', 'restoring', 'compile-cache', 'admin.sock']);

/** Restores into the data folder, with the embedded database. */
export async function restoreIntoFolder(request: RestoreRequest): Promise<Restored> {
  const { dataDir } = request.config;
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  using _lock = lockDataFolder(dataDir);
  await requireOurs(dataDir);
  const staging = stagingFolder(dataDir);
  await rm(staging, { recursive: true, force: true });
  await mkdir(stagedData(dataDir), { recursive: true, mode: 0o700 });
  try {
    return await prepareAndReplace(request);
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}

async function prepareAndReplace(request: RestoreRequest): Promise<Restored> {
  const { dataDir } = request.config;
  await using backup = await openBackup(request.path, stagingFolder(dataDir));
  const checked = await checkBackup(backup, request);
  await requireSpace(dataDir, checked);
  const health = await prepare(request, checked);
  requireHealthy(health);
  await stageKey(request, checked);
  const restorePoint = await replaceByStaged(dataDir);
  const { name, manifest } = checked.backup.source;
  const kept = restorePoint === null ? null : join(dataDir, restorePoint);
  return { name, manifest: manifest.body, checked: health, restorePoint: kept };
}

/**
 * Replaces the data of a folder by the staged data, which is whole. Resolves to the name of the restore point with the
 * data before, or to null if there was none.
 */
export async function replaceByStaged(dataDir: string): Promise<string | null> {
  const restorePoint = `${POINT_PREFIX}${backupName(new Date())}`;
  const hadData = existsSync(databaseFile(dataDir));
  await writeFileDurably(stagedMarker(dataDir), once(restorePoint));
  finishRestore(dataDir);
  return hadData ? restorePoint : null;
}

/** Loads database and blobs, brings them up to date and tries them. */
async function prepare(request: RestoreRequest, { backup, key }: CheckedBackup) {
  const { config, revokeCredentials } = request;
  const staged = { ...config, dataDir: stagedData(config.dataDir) };
  const file = databaseFile(staged.dataDir);
  await loadIntoSqlite(backup.source, file);
  const clock = systemClock();
  await using opened = new AsyncDisposableStack();
  const db = opened.use(await openSqlite({ file }));
  await db.migrate(migrations);
  await settleRestored(db, clock, revokeCredentials);
  const blobs = opened.use(await openBlobs(staged, db, clock));
  await storeBlobs(backup.source, blobs);
  return await checkWith({ db, blobs, key, config: staged, clock });
}

/** Puts the key file into the restored data, unless the key is given in another way or already there. */
async function stageKey({ config }: RestoreRequest, { key }: CheckedBackup): Promise<void> {
  if (config.masterKey !== null) return;
  const present = await readKeyFile(keyFile(config.dataDir));
  if (present?.equals(key.bytes) !== true) await writeKeyFile(keyFile(stagedData(config.dataDir)), key.bytes);
}

async function requireSpace(dataDir: string, { backup }: CheckedBackup): Promise<void> {
  const { database, blobs } = backup.source.manifest.body;
  const pieces = database.flatMap((part) => part.pieces);
  await requireFree(dataDir, pieces.reduce((sum, [, size]) => sum + size, 0) + blobs.bytes);
}

/** Throws BackupError when the disk of the data folder has no room for data of so many bytes. */
export async function requireFree(dataDir: string, bytes: number): Promise<void> {
  const needed = bytes + SPARE_BYTES;
  const free = await freeBytesOf(dataDir);
  if (free >= needed) return;
  const mb = (size: number) => `${Math.ceil(size / 1_000_000)} MB`;
  throw new BackupError(
    `Restoring needs ${mb(needed)}, but the disk of ${dataDir} has only ${mb(free)} free. Nothing was changed.`,
  );
}

/** Refuses a folder that has something else in it, which a mistyped path would mix with data. */
async function requireOurs(dataDir: string): Promise<void> {
  if (existsSync(databaseFile(dataDir))) return;
  const others = (await readdir(dataDir)).filter((name) => !NO_DATA.has(name));
  if (others.length === 0) return;
  throw new BackupError(`${dataDir} has no data of Notevault, but is not empty: give an empty folder as --data-dir.`);
}
