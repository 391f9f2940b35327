import { NotevaultError } from '@notevault/protocol/errors.ts';
import { type FolderId, parseUuid } from '@notevault/protocol/values/ids.ts';
import { createYield } from '../../../concurrency/yield.ts';
import type { ReadHandle } from '../../../ports/database/database.ts';
import type { OpenVault } from '../../vaults/vaults.ts';
import { folderPathFrom } from '../request-paths.ts';
import * as store from './folders.store.ts';
import { type FolderEntry, folderEntry, type PathOwner, pathKeyOf } from './path-lookup.ts';

/** The target of a batch as sent: a folder's id (or `root`), or a folder's path (empty: the root). */
export interface TargetInput {
  readonly id?: unknown;
  readonly path?: unknown;
}

export async function ownerOf(handle: ReadHandle, vault: OpenVault, path: string): Promise<PathOwner | null> {
  return (await handle.get(store.findOwner, { vault: vault.id, pathKey: pathKeyOf(vault, path) })) ?? null;
}

export async function folderById(handle: ReadHandle, vault: OpenVault, id: string): Promise<FolderEntry | null> {
  const [row] = await handle.allMany(store.findFoldersById, { vault: vault.id }, [id]);
  return row === undefined ? null : folderEntry(vault, row);
}

export async function folderAt(handle: ReadHandle, vault: OpenVault, path: string): Promise<FolderEntry | null> {
  const row = await handle.get(store.findFolderAt, { vault: vault.id, pathKey: pathKeyOf(vault, path) });
  return row === undefined ? null : folderEntry(vault, row);
}

export async function allFolders(handle: ReadHandle, vault: OpenVault): Promise<FolderEntry[]> {
  const yieldIfDue = createYield();
  const entries: FolderEntry[] = [];
  for (const row of await handle.all(store.findFolders, { vault: vault.id })) {
    await yieldIfDue();
    entries.push(folderEntry(vault, row));
  }
  return entries;
}

export async function foldersBelow(
  handle: ReadHandle,
  vault: OpenVault,
  roots: readonly FolderEntry[],
): Promise<FolderEntry[]> {
  const found = [...roots];
  for (let layer = roots.map(({ id }) => id); layer.length > 0; ) {
    const rows = await handle.allMany(store.findFoldersIn, { vault: vault.id }, layer);
    found.push(...rows.map((row) => folderEntry(vault, row)));
    layer = rows.map(({ id }) => id as FolderId);
  }
  return found;
}

export async function targetPath(
  handle: ReadHandle,
  vault: OpenVault,
  sent: TargetInput,
  field: string,
): Promise<string> {
  const given = [sent.id, sent.path].filter((value) => value !== undefined && value !== null);
  const [value] = given;
  if (given.length !== 1 || typeof value !== 'string') throw new NotevaultError('missing_target');
  if (value === sent.path) return folderPathFrom(value, field);
  if (value === 'root') return '';
  const id = parseUuid(value);
  const folder = id === null ? null : await folderById(handle, vault, id);
  if (!folder?.explicit) throw new NotevaultError('item_not_found', { item_id: value });
  return folder.path;
}
