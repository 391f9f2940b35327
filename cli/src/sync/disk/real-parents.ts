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
    const stats = await lstat(join(root, folder)).catch(() => null);
    if (stats === null) throw new DiskChanged(`${folder} is no longer there`);
    if (stats.isSymbolicLink()) throw new DiskRefused(`lies below ${folder}, which is a link`);
    if (!stats.isDirectory()) throw new DiskChanged(`${folder} is no folder`);
  }
}

/** Creates the missing folders above an entry; returns those it made. */
export async function makeParents(root: string, path: string): Promise<string[]> {
  const made: string[] = [];
  for (const folder of parentsOf(path)) {
    const stats = await lstat(join(root, folder)).catch(() => null);
    if (stats?.isSymbolicLink()) throw new DiskRefused(`lies below ${folder}, which is a link`);
    if (stats !== null && !stats.isDirectory()) throw new DiskChanged(`${folder} is no folder`);
    if (stats !== null) continue;
    await mkdir(join(root, folder));
    made.push(folder);
  }
  return made;
}

/** The folders above an entry, outermost first. */
function parentsOf(path: string): string[] {
  const names = path.split('/').slice(0, -1);
  return names.map((_, index) => names.slice(0, index + 1).join('/'));
}
