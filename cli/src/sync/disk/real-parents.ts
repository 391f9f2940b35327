import { constants, lstatSync, mkdirSync, type Stats } from 'node:fs';
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { DiskChanged, DiskRefused } from '@notevault/sync/engine/ports.ts';

// These do not yield: for each file there are several such looks, which take a tenth of the time this way.

/**
 * Throws unless every folder on the way from the root to an entry is a folder itself. Through a link, the entry would
 * be outside of the root.
 *
 * @param path of the entry as the disk spells it.
 */
export function requireRealParents(root: string, path: string): void {
  for (const folder of parentsOf(path)) {
    if (!isFolder(root, folder)) throw new DiskChanged(`${folder} is no longer there`);
  }
}

/** Creates the missing folders above an entry; returns those it made. */
export function makeParents(root: string, path: string): string[] {
  const made: string[] = [];
  for (const folder of parentsOf(path)) {
    if (isFolder(root, folder)) continue;
    makeFolder(root, folder);
    made.push(folder);
  }
  return made;
}

/** Throws unless entries can be made and replaced in the folder of an entry, or, if it is missing, in the one above. */
export async function requireWritableParent(root: string, path: string): Promise<void> {
  const folder = parentsOf(path).findLast((one) => isFolder(root, one)) ?? '';
  await access(join(root, folder), constants.W_OK | constants.X_OK);
}

function makeFolder(root: string, folder: string): void {
  try {
    mkdirSync(join(root, folder));
  } catch (error) {
    // Another program may have made it at the same time.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || !isFolder(root, folder)) throw error;
  }
}

/** Returns whether there is a folder; false for nothing. Throws for a link or a file. */
function isFolder(root: string, folder: string): boolean {
  const stats = statsOf(join(root, folder));
  if (stats?.isSymbolicLink()) throw new DiskRefused(`lies below ${folder}, which is a link`);
  if (stats !== null && !stats.isDirectory()) throw new DiskChanged(`${folder} is no folder`);
  return stats !== null;
}

function statsOf(path: string): Stats | null {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) ?? null;
  } catch {
    return null;
  }
}

/** Returns the folders above an entry, outermost first. */
function parentsOf(path: string): string[] {
  const names = path.split('/').slice(0, -1);
  return names.map((_, index) => names.slice(0, index + 1).join('/'));
}
