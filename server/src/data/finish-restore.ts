import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';

/** The folder in which a restore prepares its data, inside the data folder. */
export const stagingFolder = (dataDir: string) => join(dataDir, 'restoring');
/** The data that a restore prepared: files named as in the data folder. */
export const stagedData = (dataDir: string) => join(stagingFolder(dataDir), 'data');
/** Exists when the prepared data is whole; it has the name of the folder for the data before. */
export const stagedMarker = (dataDir: string) => join(stagingFolder(dataDir), 'replace');

/** SQLite's log goes first: beside another database it would be applied to that one. */
const REPLACED = ['notevault.sqlite-wal', 'notevault.sqlite-shm', 'notevault.sqlite', 'blobs', 'master.key'];

/**
 * Replaces the data of a folder by the data of a prepared restore, if any; the previous data is kept in the folder that
 * the marker names. It can be repeated after a kill at any point, and never mixes the two. Leftovers of an incomplete
 * restore are removed. The data folder must be locked.
 */
export function finishRestore(dataDir: string): void {
  const marker = stagedMarker(dataDir);
  if (!existsSync(marker)) {
    rmSync(stagingFolder(dataDir), { recursive: true, force: true });
    return;
  }
  const before = join(dataDir, basename(readFileSync(marker, 'utf8').trim()));
  for (const name of REPLACED) {
    const staged = join(stagedData(dataDir), name);
    const current = join(dataDir, name);
    const kept = join(before, name);
    const isLog = name.startsWith('notevault.sqlite-');
    if (!isLog && !existsSync(staged)) continue;
    // If it is kept already, the file in its place is the restored one.
    if (existsSync(current) && !existsSync(kept)) {
      mkdirSync(before, { recursive: true, mode: 0o700 });
      renameSync(current, kept);
      sync(before);
    }
    if (existsSync(staged)) renameSync(staged, current);
    sync(dataDir);
  }
  rmSync(stagingFolder(dataDir), { recursive: true, force: true });
  sync(dataDir);
}

function sync(folder: string): void {
  if (process.platform === 'win32') return;
  const descriptor = openSync(folder, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
