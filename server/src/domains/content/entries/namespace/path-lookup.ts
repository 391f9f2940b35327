import { ancestorsOf, foldPath } from '@notevault/note-text/paths.ts';
import type { FolderId } from '@notevault/protocol/values/ids.ts';
import type { ReadHandle } from '../../../../ports/database/database.ts';
import type { OpenVault } from '../../vaults/vaults.ts';
import type { EntryKind } from '../entries.tables.ts';
import { folderMeta } from '../sealed-entry.ts';
import * as store from './folders.store.ts';

export interface PathOwner {
  readonly kind: EntryKind;
  readonly id: string;
}

interface NearestFolder {
  readonly id: FolderId;
  readonly path: string;
  readonly key: Buffer;
  /** Incremented whenever the folder's path or spelling changes. */
  readonly revision: number;
}

/** A resolved path: its stored form and its folder. Found before the write and checked in it. */
export interface ResolvedPath {
  readonly path: string;
  readonly pathKey: Buffer;
  /** The nearest existing folder above the path; null for the root. */
  readonly nearest: NearestFolder | null;
  /** An entry that is not a folder where the path needs one. */
  readonly blocked: { readonly path: string; readonly owner: PathOwner } | null;
}

/** An existing folder, with its path unsealed. */
export interface FolderEntry {
  readonly id: FolderId;
  readonly parentId: FolderId | null;
  readonly revision: number;
  readonly path: string;
  readonly pathKey: Buffer;
  /** Created by a client: it remains when it is empty. */
  readonly explicit: boolean;
  readonly notes: number;
  /** The number of notes, attachments and folders directly inside. */
  readonly children: number;
  /** Epoch milliseconds. */
  readonly createdAt: number;
}

export function pathKeyOf(vault: OpenVault, path: string): Buffer {
  return vault.key.blind('path', foldPath(path));
}

/** Throws `internal` when the row is damaged. */
export function folderEntry(vault: OpenVault, row: store.StoredFolder): FolderEntry {
  return {
    id: row.id as FolderId,
    parentId: row.parent_id as FolderId | null,
    revision: row.revision,
    path: folderMeta.open(vault, row).path,
    pathKey: row.path_key,
    explicit: row.explicit === 1,
    notes: row.notes,
    children: row.children,
    createdAt: row.created_at,
  };
}

/** Resolves a path to its stored form: existing folders keep their spelling. */
export async function resolvePath(
  handle: ReadHandle,
  vault: OpenVault,
  path: string,
  pathKey: Buffer,
): Promise<ResolvedPath> {
  const folders = ancestorsOf(path);
  return resolvedBelow(vault, path, pathKey, await nearestOwners(handle, vault, [folders]), folders);
}

/** Like `resolvePath`, for several paths with few statements; in the order of the paths. */
export async function resolvePaths(
  handle: ReadHandle,
  vault: OpenVault,
  paths: readonly { readonly path: string; readonly pathKey: Buffer }[],
): Promise<ResolvedPath[]> {
  const folders = paths.map(({ path }) => ancestorsOf(path));
  const owners = await nearestOwners(handle, vault, folders);
  return paths.map(({ path, pathKey }, index) => resolvedBelow(vault, path, pathKey, owners, folders[index] ?? []));
}

/** Reads the owners of folders, by their path as it is given: of the ancestors of each entry, innermost first. */
async function nearestOwners(handle: ReadHandle, vault: OpenVault, ancestors: readonly (readonly string[])[]) {
  const owners = new Map<string, store.FolderOwner>();
  const read = async (folders: readonly string[]) => {
    const keyed = [...new Set(folders)].map((folder) => ({ folder, key: pathKeyOf(vault, folder) }));
    if (keyed.length === 0) return;
    const keys = keyed.map(({ key }) => key);
    const rows = await handle.allMany(store.findOwners, { vault: vault.id }, keys);
    const byKey = new Map(rows.map((row) => [row.path_key.toString('hex'), row]));
    for (const { folder, key } of keyed) {
      const row = byKey.get(key.toString('hex'));
      if (row !== undefined) owners.set(folder, row);
    }
  };
  // Nearly always the parent exists and its spelling covers its ancestors; only otherwise look further up.
  await read(ancestors.flatMap((above) => above.slice(0, 1)));
  await read(ancestors.flatMap((above) => (owners.has(above[0] ?? '') ? [] : above.slice(1))));
  return owners;
}

/** @param folders the ancestors of the path, innermost first. */
function resolvedBelow(
  vault: OpenVault,
  path: string,
  pathKey: Buffer,
  owners: ReadonlyMap<string, store.FolderOwner>,
  folders: readonly string[],
): ResolvedPath {
  const queried = folders.find((folder) => owners.has(folder)) ?? '';
  const row = owners.get(queried);
  if (row === undefined) return { path, pathKey, nearest: null, blocked: null };
  if (row.kind !== 'folder') {
    return { path, pathKey, nearest: null, blocked: { path: queried, owner: { kind: row.kind, id: row.id } } };
  }
  const { path: stored } = folderMeta.open(vault, row);
  const nearest = { id: row.id as FolderId, path: stored, key: row.path_key, revision: row.revision };
  return { path: stored + path.slice(queried.length), pathKey, nearest, blocked: null };
}
