import { resolve } from 'node:path';
import type { Writable } from 'node:stream';
import { BackupDamaged } from '../format.ts';
import { type BackupSource, listBackups, openBackupFolder } from '../read/source.ts';
import { openFolderTarget } from './folder-target.ts';
import { type Pruned, pruneBackups } from './prune.ts';
import { type BackupRequest, type BackupSummary, takeBackup } from './take-backup.ts';
import { openTarTarget } from './tar-target.ts';

/** How a backup is taken, wherever it is written. */
export type BackupOptions = Omit<BackupRequest, 'target' | 'previous'>;

export interface FolderBackup extends BackupSummary {
  /** Nothing is removed after a backup that misses attachments. */
  readonly pruned: Pruned;
}

/**
 * Takes a backup into a folder, which may have others: what they have already is not written again.
 *
 * @param keep how many backups to keep; null for all.
 */
export async function backUpIntoFolder(
  folder: string,
  keep: number | null,
  options: BackupOptions,
): Promise<FolderBackup> {
  const path = resolve(folder);
  await using target = await openFolderTarget(path);
  const summary = await takeBackup({ ...options, target, previous: await lastBackup(path) });
  const isWhole = summary.manifest.blobs.missing.length === 0;
  const pruned = keep !== null && isWhole ? await pruneBackups(path, keep) : { backups: [], objects: 0 };
  return { ...summary, pruned };
}

/** Takes a backup as a tar stream. */
export async function backUpAsTar(output: Writable, options: BackupOptions): Promise<BackupSummary> {
  await using target = await openTarTarget(output, new Date());
  return await takeBackup({ ...options, target, previous: null });
}

/** The newest backup of a folder; null when there is none, or when it cannot be read and so cannot save any work. */
async function lastBackup(folder: string): Promise<BackupSource | null> {
  const [newest] = await listBackups(folder);
  if (newest === undefined) return null;
  return openBackupFolder(folder).catch((error: unknown) => {
    if (error instanceof BackupDamaged) return null;
    throw error;
  });
}
