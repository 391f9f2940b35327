import { ancestorsOf, foldPath } from '@notevault/note-text/paths.ts';
import type { FolderId } from '@notevault/protocol/ids.ts';
import type { ReadHandle } from '../../../ports/database/database.ts';
import type { OpenVault } from '../../vaults/vaults.ts';
import type { EntryKind } from '../entries.tables.ts';
import { folderMeta } from '../sealed-entry.ts';
import * as store from './folders.store.ts';

/** What holds a path. */
export interface PathOwner {
  readonly kind: EntryKind;
  readonly id: string;
}

interface NearestFolder {
  readonly id: FolderId;
  readonly path: string;
  readonly key: Buffer;
  /** Grows whenever the folder comes to be elsewhere, or to be spelled otherwise. */
  readonly revision: number;
}

/** A path as it will be stored, and the folder it goes into; found before the write, checked in it. */
export interface ResolvedPath {
  readonly path: string;
  readonly pathKey: Buffer;
  /** The nearest folder above that exists already; null when that is the root. */
  readonly nearest: NearestFolder | null;
  /** Something that is no folder and stands where the path needs one. */
  readonly blocked: { readonly path: string; readonly owner: PathOwner } | null;
}

/** A folder that exists, with its path open. */
export interface FolderEntry {
  readonly id: FolderId;
  readonly parentId: FolderId | null;
  readonly revision: number;
  readonly path: string;
  readonly pathKey: Buffer;
  /** Made by a client, so that it stays when it is empty. */
  readonly explicit: boolean;
  /** Notes directly inside. */
  readonly notes: number;
  /** Notes, attachments and folders directly inside. */
  readonly children: number;
  /** Epoch milliseconds. */
  readonly createdAt: number;
}

/** The blind index under which a path is held. */
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

/** Where a path would be stored: folders that exist keep their spelling. */
export async function resolvePath(
  handle: ReadHandle,
  vault: OpenVault,
  path: string,
  pathKey: Buffer,
): Promise<ResolvedPath> {
  const above = ancestorsOf(path);
  if (above.length === 0) return { path, pathKey, nearest: null, blocked: null };
  // Nearly always the parent is there and its spelling covers all above it; only else look further up.
  for (const folders of [above.slice(0, 1), above.slice(1)]) {
    const keyed = folders.map((folder) => ({ folder, key: pathKeyOf(vault, folder) }));
    const byKey = new Map(keyed.map(({ folder, key }) => [key.toString('hex'), folder]));
    const rows = await handle.allMany(
      store.findOwners,
      { vault: vault.id },
      keyed.map(({ key }) => key),
    );
    const found = rows
      .map((row) => ({ row, queried: byKey.get(row.path_key.toString('hex')) ?? '' }))
      .sort((a, b) => b.queried.length - a.queried.length)[0];
    if (found === undefined) continue;
    const { row, queried } = found;
    if (row.kind !== 'folder') {
      const owner = { kind: row.kind, id: row.id };
      return { path, pathKey, nearest: null, blocked: { path: queried, owner } };
    }
    const { path: storedPath } = folderMeta.open(vault, row);
    const nearest = { id: row.id as FolderId, path: storedPath, key: row.path_key, revision: row.revision };
    return { path: storedPath + path.slice(queried.length), pathKey, nearest, blocked: null };
  }
  return { path, pathKey, nearest: null, blocked: null };
}
