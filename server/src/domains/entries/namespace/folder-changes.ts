import { folderOf } from '@notevault/note-text/paths.ts';
import type { FolderId } from '@notevault/protocol/values/ids.ts';
import type { Clock } from '../../../ports/clock/clock.ts';
import type { WriteHandle } from '../../../ports/database/database.ts';
import type { OpenVault } from '../../vaults/vaults.ts';
import { deleteEntries } from '../entries.store.ts';
import type { EntryKind } from '../entries.tables.ts';
import { decrement, type Increment, increment, insertFolder } from './folder-counts.ts';
import { ownerOf } from './folder-lookup.ts';
import * as store from './folders.store.ts';
import type { FolderEntry, PathOwner, ResolvedPath } from './path-lookup.ts';

/**
 * `folder` is the id of the new folder. Not ok when the entry `owner` has the path or, if that is null, when the folders
 * have changed.
 */
export type MakeResult =
  | { readonly ok: true; readonly folder: FolderId }
  | { readonly ok: false; readonly owner: PathOwner | null };

export function enter(
  clock: Clock,
  handle: WriteHandle,
  vault: OpenVault,
  places: readonly ResolvedPath[],
  kind: EntryKind,
): Increment {
  return increment(clock, handle, vault, places, { notes: kind === 'note' ? 1 : 0, children: 1 });
}

export async function leave(
  handle: WriteHandle,
  vault: OpenVault,
  paths: readonly string[],
  kind: EntryKind,
): Promise<void> {
  for (const [folder, { length: children }] of Map.groupBy(paths, folderOf)) {
    await decrement(handle, vault, folder, { notes: kind === 'note' ? children : 0, children });
  }
}

export async function makeFolder(
  clock: Clock,
  handle: WriteHandle,
  vault: OpenVault,
  resolved: ResolvedPath,
): Promise<MakeResult> {
  if (resolved.blocked !== null) return { ok: false, owner: resolved.blocked.owner };
  const { path, pathKey } = resolved;
  const {
    folders: [parent = null],
    counted,
  } = increment(clock, handle, vault, [resolved], { notes: 0, children: 1 });
  if (!(await counted)) return { ok: false, owner: null };
  const id = clock.uuid() as FolderId;
  const made = await insertFolder(clock, handle, vault, id, { parent, path, pathKey, explicit: true });
  return made ? { ok: true, folder: id } : { ok: false, owner: await ownerOf(handle, vault, path) };
}

export async function removeFolders(
  handle: WriteHandle,
  vault: OpenVault,
  roots: readonly FolderEntry[],
  below: readonly FolderEntry[],
): Promise<void> {
  const deletedIds = new Set(below.map(({ id }) => id));
  await handle.runMany(deleteEntries, { vault: vault.id }, [...deletedIds]);
  const outermost = roots.filter(({ parentId }) => parentId === null || !deletedIds.has(parentId));
  for (const [parent, left] of Map.groupBy(outermost, ({ path }) => folderOf(path))) {
    await decrement(handle, vault, parent, { notes: 0, children: new Set(left.map(({ id }) => id)).size });
  }
}

export async function setExplicit(
  handle: WriteHandle,
  vault: OpenVault,
  folder: FolderEntry,
  explicit: boolean,
): Promise<void> {
  const { id, path } = folder;
  const row = await handle.get(store.setExplicit, { vault: vault.id, id, explicit: explicit ? 1 : 0 });
  if (row === undefined || explicit || row.children > 0) return;
  await handle.runMany(deleteEntries, { vault: vault.id }, [id]);
  await decrement(handle, vault, folderOf(path), { notes: 0, children: 1 });
}
