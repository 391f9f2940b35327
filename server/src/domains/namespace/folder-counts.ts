import { ancestorsOf, folderOf } from '@notevault/note-text/paths.ts';
import type { FolderId } from '@notevault/protocol/ids.ts';
import type { Clock } from '../../ports/clock/clock.ts';
import type { WriteHandle } from '../../ports/database/database.ts';
import type { OpenVault } from '../vaults/vaults.ts';
import * as store from './namespace.store.ts';
import { pathKeyOf, type ResolvedPath, sealFolderPath } from './path-lookup.ts';

/** How many items come or go; notes are children too. */
export interface CountDelta {
  readonly notes: number;
  readonly children: number;
}

/**
 * Makes the folders between the anchor and the spot, each counted into the one above it, and counts what comes into the
 * nearest. Resolves to that one's id (null: the root), or to undefined when the folders are not as the spot has them.
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
    const { id, sealedPath } = at.nearest;
    if ((await handle.run(store.countInNearestFolder, { vault: vault.id, id, path: sealedPath, ...last })) === 0)
      return undefined;
  }
  for (const [index, { id, path, key }] of made.entries()) {
    const held = await handle.run(store.insertPath, { vault: vault.id, pathKey: key, kind: 'folder', item: id });
    if (held === 0) return undefined;
    const row = { vault: vault.id, id, parent: chain[index + 1]?.id ?? null, pathKey: key, explicit: 0 };
    await handle.run(store.insertFolder, { ...row, path: sealFolderPath(vault, id, path) });
  }
  for (const [index, { id, key }] of made.entries()) {
    const counts = index === 0 ? delta : { notes: 0, children: 1 };
    await handle.run(store.countInFolder, { vault: vault.id, id, pathKey: key, ...counts });
  }
  return chain[0]?.id;
}

/** Counts what goes out of a folder; it goes too when nothing and no marker holds it, and so on upwards. */
export async function decrement(
  handle: WriteHandle,
  vault: OpenVault,
  folder: string,
  delta: CountDelta,
): Promise<void> {
  if (folder === '') return;
  let { notes, children } = delta;
  for (const path of [folder, ...ancestorsOf(folder)]) {
    const pathKey = pathKeyOf(vault, path);
    const holder = await handle.get(store.findPath, { vault: vault.id, pathKey });
    if (holder?.kind !== 'folder') return;
    const id = holder.item_id;
    const counts = { vault: vault.id, id, pathKey, notes: -notes, children: -children };
    const left = await handle.get(store.countInFolder, counts);
    if (left === undefined || left.explicit === 1 || left.children > 0) return;
    await handle.run(store.deleteFolder, { vault: vault.id, id });
    await handle.run(store.deletePath, { vault: vault.id, pathKey, item: id });
    [notes, children] = [0, 1];
  }
}
