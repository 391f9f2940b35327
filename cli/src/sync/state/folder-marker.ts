import { randomBytes } from 'node:crypto';
import { lstat, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { FolderGone } from '@notevault/sync/engine/ports.ts';
import { syncFolder } from '../disk/file-system.ts';
import { OWN_FOLDER, TempPlace } from '../disk/temp-place.ts';

const NAME = 'folder.json';

/** Contents of `.notevault/folder.json`: the ids of the folder and its vault. */
export interface FolderMarker {
  readonly vaultId: string;
  readonly folderId: string;
}

export function newFolderId(): string {
  return randomBytes(16).toString('hex');
}

/** Reads the marker of a folder; null when it has none. Throws FolderGone when it is unreadable. */
export async function readMarker(root: string): Promise<FolderMarker | null> {
  const file = join(root, OWN_FOLDER, NAME);
  try {
    // A link could make another folder's marker count for this one.
    if (!(await lstat(join(root, OWN_FOLDER))).isDirectory() || !(await lstat(file)).isFile())
      throw new FolderGone(`${file} is not a file: remove it.`);
    const { vault_id: vaultId, folder_id: folderId } = JSON.parse(await readFile(file, 'utf8'));
    if (typeof vaultId === 'string' && /^[0-9a-f]{32}$/.test(folderId)) return { vaultId, folderId };
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return null;
    if (error instanceof FolderGone) throw error;
    throw new FolderGone(`${file} cannot be read: ${(error as Error).message}`, { cause: error });
  }
  throw new FolderGone(`${file} does not say which folder this is: remove it to sync the folder anew.`);
}

/** Writes the marker of a folder, durably. */
export async function writeMarker(root: string, { vaultId, folderId }: FolderMarker): Promise<void> {
  const place = new TempPlace(root);
  const { path, file } = await place.create(0o644);
  try {
    await file.writeFile(`${JSON.stringify({ vault_id: vaultId, folder_id: folderId }, null, 2)}\n`);
    await file.sync();
    await file.close();
    await rename(path, join(root, OWN_FOLDER, NAME));
  } catch (error) {
    await file.close().catch(() => undefined);
    await rm(path, { force: true });
    throw error;
  }
  await syncFolder(join(root, OWN_FOLDER));
}

/** Throws FolderGone unless the folder still has its marker. */
export async function checkMarker(root: string, expected: FolderMarker): Promise<void> {
  const marker = await readMarker(root);
  if (marker?.folderId === expected.folderId && marker.vaultId === expected.vaultId) return;
  throw new FolderGone(markerMissing(root));
}

export function markerMissing(root: string): string {
  return (
    `${root} is not the folder that was synced: its ${OWN_FOLDER}/${NAME} is missing or another one. Nothing was deleted. ` +
    'If it lies on a disk that is not mounted, mount it. If you emptied or replaced it, ' +
    '"notevault sync follow-server" fills it from the vault again.'
  );
}
