import { existsSync } from 'node:fs';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { databaseFile, lockDataFolder } from '../../data/data-folder.ts';
import { finishRestore, stagedData, stagedMarker, stagingFolder } from '../../data/finish-restore.ts';
import { keyFile } from '../../open-ports.ts';
import { readKeyFile, writeKeyFile } from '../../ports/keyring/key-file.ts';
import { once, writeFileDurably } from '../files.ts';
import { BackupError, backupName } from '../format.ts';
import { type BackupKey, openBackup } from '../read/open-backup.ts';
import {
  checkBackup,
  type Restored,
  type RestoreRequest,
  requireFree,
  requireHealthy,
  stagedBytes,
  stageInFolder,
} from './stage-folder.ts';

/** What the names of restore points begin with. */
export const POINT_PREFIX = 'restore-point-';
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
