import { readdir, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Writable } from 'node:stream';
import { BackupDamaged, type ObjectKind, objectPath } from '../format.ts';
import { BackupSource, listBackups, openBackupFolder } from '../read/source.ts';
import { INCOMING, openFolderTarget } from './folder-target.ts';
import { type BackupRequest, type BackupSummary, takeBackup } from './take-backup.ts';
import { openTarTarget } from './tar-target.ts';

export type BackupOptions = Omit<BackupRequest, 'target' | 'previous'>;

export interface FolderBackup extends BackupSummary {
  /** The backups that were removed: none if this one lacks attachments. */
  readonly pruned: PruneResult;
}

/** Takes a backup into a folder, and reuses objects of others there. @param keep how many to keep; null for all. */
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

interface PruneResult {
  readonly backups: readonly string[];
  readonly objects: number;
}

/**
 * Removes all but the newest `keep` backups of a folder, then the objects that no other has, unless one cannot be
 * read. Call it after a backup ended well, while its target is open.
 */
async function pruneBackups(folder: string, keep: number): Promise<PruneResult> {
  const names = await listBackups(folder);
  const [kept, old] = [names.slice(0, Math.max(1, keep)), names.slice(Math.max(1, keep))];
  if (old.length === 0) return { backups: [], objects: 0 };
  for (const name of old) await rm(join(folder, name), { recursive: true, force: true });
  using index = openIndex(join(folder, INCOMING, 'objects.sqlite'));
  try {
    for (const name of kept) await index.add(await BackupSource.open(folder, name));
  } catch (error) {
    if (!(error instanceof BackupDamaged)) throw error;
    return { backups: old, objects: 0 };
  }
  let objects = 0;
  for (const kind of ['database', 'blobs'] as const) {
    for await (const hash of hashesIn(folder, kind)) {
      if (index.has(hash)) continue;
      await rm(join(folder, objectPath(kind, hash)), { force: true });
      objects += 1;
    }
  }
  return { backups: old, objects };
}

/** The objects that stay, on disk: in memory they would grow with the backups. */
function openIndex(file: string) {
  const db = new DatabaseSync(file);
  db.exec('pragma journal_mode = off; pragma synchronous = off');
  db.exec('create table objects (hash text primary key) without rowid');
  const insert = db.prepare('insert or ignore into objects (hash) values (?)');
  const find = db.prepare('select 1 from objects where hash = ?');
  return {
    async add(source: BackupSource): Promise<void> {
      db.exec('begin');
      for await (const { object } of source.objects()) insert.run(object.hash);
      db.exec('commit');
    },
    has: (hash: string) => find.get(hash) !== undefined,
    [Symbol.dispose]: () => db.close(),
  };
}

async function* hashesIn(folder: string, kind: ObjectKind): AsyncGenerator<string> {
  const names = async (path: string) => readdir(path).catch(() => []);
  for (const shard of await names(join(folder, kind))) {
    if (!/^[0-9a-f]{2}$/.test(shard)) continue;
    for (const hash of await names(join(folder, kind, shard))) {
      if (/^[0-9a-f]{64}$/.test(hash) && hash.startsWith(shard)) yield hash;
    }
  }
}
