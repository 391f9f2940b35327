import type { Folder } from '@notevault/protocol/folders.ts';
import type { ReadHandle, WriteHandle } from '../../../ports/database/database.ts';
import type { OpenVault } from '../../vaults/vaults.ts';
import type { EntryDeps, WriteContext } from '../entries.deps.ts';
import type { Namespace, PathOwner, ResolvedPath } from '../namespace/namespace.ts';
import { conflictWithOwner } from '../path-conflict.ts';
import { toFolder } from './folders.mapper.ts';

/** Creates the folder or makes the existing one explicit; retries when another writer was faster. */
export async function createFolder(
  deps: EntryDeps,
  namespace: Namespace,
  context: WriteContext<Folder>,
  path: string,
): Promise<Folder> {
  const { db } = deps;
  const { vault } = context;
  for (;;) {
    const resolved = await namespace.resolve(db, vault, path, namespace.pathKey(vault, path));
    const { blocked } = resolved;
    if (blocked !== null) throw await conflictWithOwner(deps, namespace, vault, blocked.owner, blocked.path);
    const result = await db
      .transact((handle) => createOnce(deps, namespace, handle, context, resolved, path))
      .catch(ownerOfTakenPath);
    if (result === null) continue;
    if ('kind' in result) throw await conflictWithOwner(deps, namespace, vault, result, path);
    return result;
  }
}

async function createOnce(
  { vaults }: EntryDeps,
  namespace: Namespace,
  handle: WriteHandle,
  { vault, inTransaction }: WriteContext<Folder>,
  resolved: ResolvedPath,
  path: string,
): Promise<Folder> {
  await vaults.advance(handle, vault, { seqs: 0, notes: 0 });
  const existing = await namespace.folderAt(handle, vault, path);
  // An existing explicit folder is no change: no client has to reload.
  if (!existing?.explicit) await vaults.advance(handle, vault, { seqs: 1, notes: 0 });
  if (existing?.explicit === false) await namespace.setExplicit(handle, vault, existing, true);
  else if (existing === null) {
    const claimed = await namespace.makeFolder(handle, vault, resolved);
    // Rolls back a creation that failed halfway.
    if (!claimed.ok) throw new PathTaken(claimed.owner);
  }
  const folder = await readFolder(namespace, handle, vault, path);
  await inTransaction?.(handle, folder);
  return folder;
}

async function readFolder(namespace: Namespace, handle: ReadHandle, vault: OpenVault, path: string): Promise<Folder> {
  const entry = await namespace.folderAt(handle, vault, path);
  if (entry === null) throw new Error('a folder vanished in the transaction that made it');
  const parent = entry.parentId === null ? null : await namespace.folderById(handle, vault, entry.parentId);
  return toFolder(entry, () => parent?.explicit === true);
}

/** Thrown when the path of a new folder was taken meanwhile (by `owner`), or the folders above it changed (null). */
class PathTaken extends Error {
  readonly owner: PathOwner | null;
  constructor(owner: PathOwner | null) {
    super('the folder cannot be made');
    this.owner = owner;
  }
}

function ownerOfTakenPath(error: unknown): PathOwner | null {
  if (error instanceof PathTaken) return error.owner;
  throw error;
}
