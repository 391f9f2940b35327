import { type BigIntStats, lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type DiskFile, type DiskListing, FolderGone } from '@notevault/sync/engine/ports.ts';
import type { DiskNames } from './disk-names.ts';
import { diskFile } from './entry.ts';
import { structureFault } from './safe-path.ts';
import { SETTINGS_FOLDER } from './settings-files.ts';

export interface ScanOptions {
  readonly hasFileIds: boolean;
  readonly names: DiskNames;
  isIgnored(path: string, kind: 'file' | 'folder'): boolean;
}

interface Found {
  readonly files: DiskFile[];
  readonly folders: string[];
  readonly skipped: { readonly path: string; readonly reason: string }[];
}

/**
 * Lists a folder with everything below it. Links are not followed, hidden entries left out. Throws FolderGone when any
 * part of it cannot be read, because a missing entry would look like a deleted one.
 *
 * It does not yield: that takes a third of the time, about 70 ms for 10,000 files.
 */
export function scan(root: string, options: ScanOptions): DiskListing {
  const found: Found = { files: [], folders: [], skipped: [] };
  options.names.clear();
  const waiting = [{ path: '', spelled: '' }];
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    const seen = new Set<string>();
    for (const name of namesIn(root, folder.spelled)) {
      const spelled = folder.spelled === '' ? name : `${folder.spelled}/${name}`;
      const nfc = name.normalize('NFC');
      const path = folder.path === '' ? nfc : `${folder.path}/${nfc}`;
      const skip = (reason: string) => found.skipped.push({ path, reason });
      if (name.startsWith('.') && path !== SETTINGS_FOLDER) continue;
      if (seen.has(nfc)) {
        skip('has the same name as another file here, in another Unicode form');
        continue;
      }
      seen.add(nfc);
      const stats = statsOf(root, spelled);
      if (stats === null) {
        if (name.includes('\ufffd')) skip('has a name that is not UTF-8');
        continue;
      }
      if (options.isIgnored(path, stats.isDirectory() ? 'folder' : 'file')) continue;
      const fault = structureFault(path);
      if (stats.isSymbolicLink()) skip('is a link, which is not synced');
      else if (fault !== null) skip(fault);
      else if (stats.isDirectory()) {
        options.names.set(path, spelled);
        found.folders.push(path);
        waiting.push({ path, spelled });
      } else if (stats.isFile()) {
        options.names.set(path, spelled);
        found.files.push(diskFile(path, stats, options.hasFileIds));
      } else skip('is no regular file');
    }
  }
  return found;
}

function namesIn(root: string, folder: string): string[] {
  try {
    return readdirSync(join(root, folder));
  } catch (error) {
    // A folder inside may have been deleted since its parent was listed.
    if (folder !== '' && isMissing(error)) return [];
    throw new FolderGone(`${join(root, folder)} cannot be read: ${(error as Error).message}`, { cause: error });
  }
}

function statsOf(root: string, path: string): BigIntStats | null {
  try {
    return lstatSync(join(root, path), { bigint: true });
  } catch (error) {
    if (isMissing(error)) return null;
    throw new FolderGone(`${join(root, path)} cannot be read: ${(error as Error).message}`, { cause: error });
  }
}

function isMissing(error: unknown): boolean {
  return ['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '');
}
