import { ancestorsOf } from '@notevault/note-text/paths.ts';
import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { OpenVault } from '../vaults/vaults.ts';
import type { EntryDeps } from './entries.deps.ts';
import { folderById, ownerOf } from './namespace/namespace.ts';
import type { PathOwner } from './namespace/path-lookup.ts';

type Deps = Pick<EntryDeps, 'db' | 'handlerOf'>;

/** Returns the error for a path (or id) that another entry has: its path and the details of its kind. */
export async function conflictWithOwner(
  { db, handlerOf }: Deps,
  vault: OpenVault,
  { kind, id }: PathOwner,
  path: string,
): Promise<NotevaultError> {
  if (kind === 'folder') {
    const folder = await folderById(db, vault, id);
    return new NotevaultError('conflict', { server_path: folder?.path ?? path });
  }
  const details = await handlerOf(kind).conflictDetails(vault, id);
  return new NotevaultError('conflict', details ?? { server_path: path });
}

/**
 * Returns the error for a path that could not be taken, with the entry that has it or stands where it needs a folder.
 */
export async function conflictAtPath(deps: Deps, vault: OpenVault, path: string): Promise<NotevaultError> {
  for (const at of [path, ...ancestorsOf(path)]) {
    const owner = await ownerOf(deps.db, vault, at);
    if (owner !== null && (at === path || owner.kind !== 'folder')) {
      return conflictWithOwner(deps, vault, owner, at);
    }
  }
  return new NotevaultError('conflict');
}
