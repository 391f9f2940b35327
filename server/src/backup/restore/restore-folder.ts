import { createReadStream, existsSync } from 'node:fs';
import { copyFile, link, mkdir, readdir, rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Config } from '../../config/config.ts';
import { databaseFile, lockDataFolder } from '../../data/data-folder.ts';
import { RESERVE_FILE } from '../../data/disk-reserve.ts';
import { finishRestore, stagedData, stagedMarker, stagingFolder } from '../../data/finish-restore.ts';
import { migrations } from '../../data/migrations.ts';
import { keyFile, masterKeyFor, openBlobs } from '../../open-ports.ts';
import { systemClock } from '../../ports/clock/clock.ts';
import { openSqlite } from '../../ports/database/sqlite/sqlite.ts';
import { syncFolder } from '../../ports/fsync/fsync.ts';
import { readKeyFile, writeKeyFile } from '../../ports/keyring/key-file.ts';
import { makeFolder, once, writeFileDurably } from '../files.ts';
import { BackupError, backupName } from '../format.ts';
import { type BackupKey, openBackup } from '../read/open-backup.ts';
import type { CopyCheck } from '../verify/check-copy.ts';
import { checkWith } from '../verify/check-with.ts';
import { prepareRestored } from './prepare-restored.ts';
import type { RestorePoint } from './restore.ts';
import {
  checkBackup,
  type RestoreRequest,
  type RestoreResult,
  requireFree,
  requireHealthy,
  stagedBytes,
  stageInFolder,
} from './stage-folder.ts';

export const POINT_PREFIX = 'restore-point-';
/** Files that may be in a folder without data. */
const NO_DATA = new Set([
  ...['master.key', 'lock.sqlite', 'restoring', 'compile-cache', 'admin.sock', RESERVE_FILE],
  ...['downloads', 'packed'],
]);

/** Restores into the data folder, with the embedded database. */
export async function restoreIntoFolder(request: RestoreRequest): Promise<RestoreResult> {
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

async function prepareAndReplace(request: RestoreRequest): Promise<RestoreResult> {
  const { dataDir } = request.config;
  await using backup = await openBackup(request.path, stagingFolder(dataDir));
  const { source } = backup;
  const key = await checkBackup(backup, request);
  await requireFree(dataDir, stagedBytes(source));
  const { revokeCredentials } = request;
  const config = { ...request.config, dataDir: stagedData(dataDir) };
  const health = await stageInFolder({ source, key, config, revokeCredentials, deep: false });
  requireHealthy(health);
  await stageKey(request, key);
  const restorePoint = await replaceByStaged(dataDir);
  const { name, manifest } = source;
  const kept = restorePoint === null ? null : join(dataDir, restorePoint);
  return { name, manifest: manifest.body, checked: health, restorePoint: kept };
}

/** The staged data must be whole. Resolves to the name of the restore point; null if there was no data before. */
export async function replaceByStaged(dataDir: string): Promise<string | null> {
  const restorePoint = `${POINT_PREFIX}${backupName(new Date())}`;
  const hadData = existsSync(databaseFile(dataDir));
  await writeFileDurably(stagedMarker(dataDir), once(restorePoint));
  finishRestore(dataDir);
  return hadData ? restorePoint : null;
}

/** Puts the key file into the restored data, unless the key is given in another way or already there. */
async function stageKey({ config }: RestoreRequest, key: BackupKey): Promise<void> {
  if (config.masterKey !== null) return;
  const present = await readKeyFile(keyFile(config.dataDir));
  if (present?.equals(key.bytes) !== true) await writeKeyFile(keyFile(stagedData(config.dataDir)), key.bytes);
}

/** Refuses a folder that has something else in it, which a mistyped path would mix with data. */
async function requireOurs(dataDir: string): Promise<void> {
  if (existsSync(databaseFile(dataDir))) return;
  const others = (await readdir(dataDir)).filter((name) => !NO_DATA.has(name));
  if (others.length === 0) return;
  throw new BackupError(`${dataDir} has no data of Notevault, but is not empty: give an empty folder as --data-dir.`);
}

const BLOBS = 'blobs';

export async function listPointsOfFolder(dataDir: string): Promise<RestorePoint[]> {
  const names = existsSync(dataDir) ? (await readdir(dataDir)).sort() : [];
  const points = names.filter((name) => name.startsWith(POINT_PREFIX) && existsSync(databaseFile(join(dataDir, name))));
  return Promise.all(points.map(async (name) => ({ name, bytes: await bytesBelow(join(dataDir, name)) })));
}

/** Returns to a restore point of a data folder: it is copied, so that a return that fails or is killed changes nothing. */
export async function returnToPointOfFolder(config: Config, name: string, revokeCredentials: boolean) {
  const { dataDir } = config;
  const point = join(dataDir, name);
  using _lock = lockDataFolder(dataDir);
  const staging = stagingFolder(dataDir);
  await rm(staging, { recursive: true, force: true });
  await mkdir(stagedData(dataDir), { recursive: true, mode: 0o700 });
  try {
    await requireFree(dataDir, await bytesBelow(point, BLOBS));
    await stagePoint(point, stagedData(dataDir));
    const checked = await prepare(config, revokeCredentials);
    requireHealthy(checked);
    const restorePoint = await replaceByStaged(dataDir);
    // All of it is in the data now.
    await rm(point, { recursive: true });
    return { checked, restorePoint: restorePoint === null ? null : join(dataDir, restorePoint) };
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}

async function stagePoint(point: string, staged: string): Promise<void> {
  const file = databaseFile(point);
  for (const from of [file, `${file}-wal`]) {
    if (existsSync(from)) await writeFileDurably(join(staged, basename(from)), createReadStream(from));
  }
  const key = await readKeyFile(keyFile(point));
  if (key !== null) await writeKeyFile(keyFile(staged), key);
  if (existsSync(join(point, BLOBS))) await linkFolder(join(point, BLOBS), join(staged, BLOBS));
}

/** Gives the files of a folder, which never change, a second name in another. */
async function linkFolder(from: string, to: string): Promise<void> {
  await makeFolder(to);
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) await linkFolder(source, target);
    else await link(source, target).catch(() => copyFile(source, target));
  }
  await syncFolder(to);
}

/** Brings the staged data up to date, and tries it. */
async function prepare(config: Config, revokeCredentials: boolean): Promise<CopyCheck> {
  const { dataDir } = config;
  const staged = { ...config, dataDir: stagedData(dataDir) };
  const clock = systemClock();
  await using opened = new AsyncDisposableStack();
  const db = opened.use(await openSqlite({ file: databaseFile(staged.dataDir) }));
  await db.migrate(migrations);
  await prepareRestored(db, clock, revokeCredentials);
  const blobs = opened.use(await openBlobs(staged, db, clock));
  // The point has a key of its own if the restore brought another one.
  const withKey = existsSync(keyFile(staged.dataDir)) ? staged : config;
  const key = await masterKeyFor(withKey, db, clock, { unfinishedRotation: false });
  return await checkWith({ db, blobs, key, config: staged, clock });
}

/** Returns the total bytes of all files in a folder, except those in one of its subfolders. */
async function bytesBelow(folder: string, without?: string): Promise<number> {
  let bytes = 0;
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    if (entry.name === without) continue;
    const path = join(folder, entry.name);
    bytes += entry.isDirectory() ? await bytesBelow(path) : (await stat(path)).size;
  }
  return bytes;
}
