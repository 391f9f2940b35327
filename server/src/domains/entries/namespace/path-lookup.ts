import { ancestorsOf, foldPath } from '@notevault/note-text/paths.ts';
import type { FolderId } from '@notevault/protocol/values/ids.ts';
import type { ReadHandle } from '../../../ports/database/database.ts';
import type { OpenVault } from '../../vaults/vaults.ts';
import type { EntryKind } from '../entries.tables.ts';
import { folderMeta } from '../sealed-entry.ts';
import * as store from './folders.store.ts';

/** The entry that has a path. */
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
  /** The number of notes directly inside. */
  readonly notes: number;
  /** The number of notes, attachments and folders directly inside. */
  readonly children: number;
  /** Epoch milliseconds. */
  readonly createdAt: number;
}

/** Returns the blind index of a path. */
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
  const above = ancestorsOf(path);
  if (above.length === 0) return { path, pathKey, nearest: null, blocked: null };
  // Nearly always the parent exists and its spelling covers its ancestors; only otherwise look further up.
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
