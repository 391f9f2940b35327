import { realpath, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { relative, resolve, sep } from 'node:path';
import { FolderGone } from '@notevault/sync/engine/ports.ts';
import { CliError } from '../../error-messages.ts';
import { type FolderMarker, markerMissing, readMarker } from './folder-marker.ts';
import type { FolderRecord, FolderRegistry } from './folder-registry.ts';

/**
 * Result of looking up a folder on this machine. `copied` means that its marker belongs to another folder, or that its
 * state was lost: it is synced like a new folder, with the marker's vault.
 */
export type FoundFolder =
  | { readonly kind: 'known'; readonly record: FolderRecord }
  | { readonly kind: 'new' }
  | { readonly kind: 'copied'; readonly vaultId: string };

/**
 * Returns a folder's absolute path with links resolved. Refuses folders that should not be synced as a whole, such as
 * the home folder.
 */
export async function requireFolder(dir: string, stateFolder: string): Promise<string> {
  const root = await realpath(resolve(dir)).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') throw new CliError(`The folder ${dir} does not exist: create it first.`);
    throw error;
  });
  if (!(await stat(root)).isDirectory()) throw new CliError(`${dir} is not a folder.`);
  const home = await realpath(homedir()).catch(() => homedir());
  if (isBelow(root, home) || root === home)
    throw new CliError(`${root} is not synced as a whole: choose a folder inside of it for your notes.`);
  const state = await realpath(stateFolder).catch(() => stateFolder);
  if (isBelow(root, state) || root === state || isBelow(state, root))
    throw new CliError(`${root} and the state of folder sync (${state}) must be apart: choose another folder.`);
  return root;
}

/**
 * Looks up a folder on this machine. A moved folder is recognised by its marker. Throws FolderGone if a synced folder
 * has lost its marker, because it may be unmounted or emptied.
 */
export async function findFolder(registry: FolderRegistry, root: string): Promise<FoundFolder> {
  const [marker, records] = [await readMarker(root), await registry.all()];
  const here = records.find((record) => record.root === root);
  const inside = records.find((record) => isBelow(record.root, root) || isBelow(root, record.root));
  if (inside !== undefined && here === undefined && (await readMarker(inside.root).catch(() => null)) !== null)
    throw new CliError(
      `${root} and ${inside.root}, which is synced already, lie in one another: sync only one of them.`,
    );
  if (here !== undefined && marker?.folderId !== here.folderId) throw new FolderGone(markerMissing(root));
  if (marker === null) return { kind: 'new' };
  const record = here ?? records.find(({ folderId }) => folderId === marker.folderId);
  if (record === undefined || record.vaultId !== marker.vaultId) return { kind: 'copied', vaultId: marker.vaultId };
  if (record.root === root) return { kind: 'known', record };
  if (await isMarkedBy(record.root, marker)) return { kind: 'copied', vaultId: marker.vaultId };
  const moved = { ...record, root };
  await registry.save(moved);
  return { kind: 'known', record: moved };
}

async function isMarkedBy(root: string, { folderId }: FolderMarker): Promise<boolean> {
  if (root === '') return false;
  return (await readMarker(root).catch(() => null))?.folderId === folderId;
}

function isBelow(folder: string, path: string): boolean {
  if (folder === '') return false;
  const way = relative(folder, path);
  return way !== '' && way !== '..' && !way.startsWith(`..${sep}`) && resolve(folder, way) === path;
}
