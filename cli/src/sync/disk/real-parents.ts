import { lstatSync, type Stats } from 'node:fs';
import { lstat, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { DiskChanged, DiskRefused } from '@notevault/sync/engine/ports.ts';

/**
 * Throws unless every folder on the way from the root to an entry is a folder itself. Through a link, the entry would
 * be outside of the root.
 *
 * @param path of the entry as the disk spells it.
 */
export async function requireRealParents(root: string, path: string): Promise<void> {
  for (const folder of parentsOf(path)) {
    if (!(await isFolder(root, folder))) throw new DiskChanged(`${folder} is no longer there`);
  }
}

/** Like `requireRealParents`, without yielding. */
export function requireRealParentsSync(root: string, path: string): void {
  for (const folder of parentsOf(path)) {
    const stats = lstatSync(join(root, folder), { throwIfNoEntry: false });
    if (!isFolderStats(folder, stats ?? null)) throw new DiskChanged(`${folder} is no longer there`);
  }
}

/** Creates the missing folders above an entry; returns those it made. */
export async function makeParents(root: string, path: string): Promise<string[]> {
  const made: string[] = [];
  for (const folder of parentsOf(path)) {
    if (await isFolder(root, folder)) continue;
    await mkdir(join(root, folder)).catch(async (error: NodeJS.ErrnoException) => {
      // Another file of the same folder may have made it at the same time.
      if (error.code !== 'EEXIST' || !(await isFolder(root, folder))) throw error;
    });
    made.push(folder);
  }
  return made;
}

/** Whether there is a folder; false for nothing. Throws for a link or a file. */
async function isFolder(root: string, folder: string): Promise<boolean> {
  return isFolderStats(folder, await lstat(join(root, folder)).catch(() => null));
}

function isFolderStats(folder: string, stats: Stats | null): boolean {
  if (stats?.isSymbolicLink()) throw new DiskRefused(`lies below ${folder}, which is a link`);
  if (stats !== null && !stats.isDirectory()) throw new DiskChanged(`${folder} is no folder`);
  return stats !== null;
}

/** The folders above an entry, outermost first. */
function parentsOf(path: string): string[] {
  const names = path.split('/').slice(0, -1);
  return names.map((_, index) => names.slice(0, index + 1).join('/'));
}
