import { ancestorsOf, folderOf } from '@notevault/note-text/paths.ts';
import type { FolderId } from '@notevault/protocol/values/ids.ts';
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

/** An entry that is being counted in its folder. */
export interface Increment {
  /** The folder, null for the root: known at once, so that the entry can be written without waiting. */
  readonly folder: FolderId | null;
  /** Resolves to false when the folders have changed since the path was resolved. */
  readonly counted: Promise<boolean>;
}

/**
 * Creates the folders between the nearest existing folder and the resolved path, each counted in its parent, and adds
 * the counts to the innermost. All statements are sent before this returns.
 */
export function increment(
  clock: Clock,
  handle: WriteHandle,
  vault: OpenVault,
  at: ResolvedPath,
  delta: CountDelta,
): Increment {
  const parent = folderOf(at.path);
  if (parent === '') return { folder: null, counted: Promise.resolve(true) };
  const missing = [parent, ...ancestorsOf(parent)].filter((folder) => folder.length > (at.nearest?.path.length ?? 0));
  const made = missing.map((path) => ({ id: clock.uuid() as FolderId, path, key: pathKeyOf(vault, path) }));
  const chain = [...made, ...(at.nearest === null ? [] : [at.nearest])];
  const last = missing.length === 0 ? delta : { notes: 0, children: 1 };
  const changed: Promise<boolean>[] = [];
  if (at.nearest !== null) {
    const { id, revision } = at.nearest;
    const counted = handle.run(store.countInNearestFolder, { vault: vault.id, id, revision, ...last });
    changed.push(counted.then((rows) => rows > 0));
  }
  for (const [index, { id, path, key }] of made.entries()) {
    const at = { parent: chain[index + 1]?.id ?? null, path, pathKey: key, explicit: false };
    changed.push(insertFolder(clock, handle, vault, id, at));
  }
  for (const [index, { key }] of made.entries()) {
    const counts = index === 0 ? delta : { notes: 0, children: 1 };
    changed.push(
      handle.run(store.countInFolder, { vault: vault.id, pathKey: key, ...counts }).then((rows) => rows > 0),
    );
  }
  const counted = Promise.all(changed).then((each) => each.every((done) => done));
  return { folder: chain[0]?.id ?? null, counted };
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
