import { ancestorsOf, folderOf } from '@notevault/note-text/paths.ts';
import type { FolderId } from '@notevault/protocol/ids.ts';
import type { Clock } from '../../../ports/clock/clock.ts';
import type { WriteHandle } from '../../../ports/database/database.ts';
import type { OpenVault } from '../../vaults/vaults.ts';
import { deleteEntries } from '../entries.store.ts';
import { folderMeta } from '../sealed-entry.ts';
import * as store from './folders.store.ts';
import { pathKeyOf, type ResolvedPath } from './path-lookup.ts';

/** The change of the counts; `children` includes notes. */
export interface CountDelta {
  readonly notes: number;
  readonly children: number;
}

/**
 * Creates the folders between the nearest existing folder and the resolved path, each counted in its parent, and adds
 * the counts to the innermost. Resolves to its id (null: the root), or to undefined when the folders have changed since
 * the path was resolved.
 */
export async function increment(
  clock: Clock,
  handle: WriteHandle,
  vault: OpenVault,
  at: ResolvedPath,
  delta: CountDelta,
): Promise<FolderId | null | undefined> {
  const parent = folderOf(at.path);
  if (parent === '') return null;
  const missing = [parent, ...ancestorsOf(parent)].filter((folder) => folder.length > (at.nearest?.path.length ?? 0));
  const made = missing.map((path) => ({ id: clock.uuid() as FolderId, path, key: pathKeyOf(vault, path) }));
  const chain = [...made, ...(at.nearest === null ? [] : [at.nearest])];
  const last = missing.length === 0 ? delta : { notes: 0, children: 1 };
  if (at.nearest !== null) {
    const { id, revision } = at.nearest;
    if ((await handle.run(store.countInNearestFolder, { vault: vault.id, id, revision, ...last })) === 0)
      return undefined;
  }
  for (const [index, { id, path, key }] of made.entries()) {
    const at = { parent: chain[index + 1]?.id ?? null, path, pathKey: key, explicit: false };
    if (!(await insertFolder(clock, handle, vault, id, at))) return undefined;
  }
  for (const [index, { key }] of made.entries()) {
    const counts = index === 0 ? delta : { notes: 0, children: 1 };
    await handle.run(store.countInFolder, { vault: vault.id, pathKey: key, ...counts });
  }
  return chain[0]?.id;
}

/** Creates an empty folder; returns false when its path is taken. */
export async function insertFolder(
  clock: Clock,
  handle: WriteHandle,
  vault: OpenVault,
  id: FolderId,
  at: { readonly parent: FolderId | null; readonly path: string; readonly pathKey: Buffer; readonly explicit: boolean },
): Promise<boolean> {
  const made = await handle.run(store.insertFolder, {
    vault_id: vault.id,
    id,
    revision: 1,
    parent_id: at.parent,
    path_key: at.pathKey,
    explicit: at.explicit ? 1 : 0,
    now: clock.now(),
    meta: folderMeta.seal(vault, id, 1, { path: at.path }),
  });
  return made > 0;
}

/**
 * Subtracts from the counts of a folder. Deletes it if it is empty and not explicit, and then continues with its
 * parent.
 */
export async function decrement(
  handle: WriteHandle,
  vault: OpenVault,
  folder: string,
  delta: CountDelta,
): Promise<void> {
  if (folder === '') return;
  let { notes, children } = delta;
  for (const path of [folder, ...ancestorsOf(folder)]) {
    const counts = { vault: vault.id, pathKey: pathKeyOf(vault, path), notes: -notes, children: -children };
    const left = await handle.get(store.countInFolder, counts);
    if (left === undefined || left.explicit === 1 || left.children > 0) return;
    await handle.runMany(deleteEntries, { vault: vault.id }, [left.id]);
    [notes, children] = [0, 1];
  }
}
