import { ancestorsOf } from '@notevault/note-text/paths.ts';
import type { FolderId } from '@notevault/protocol/values/ids.ts';
import type { Clock } from '../../../../ports/clock/clock.ts';
import type { WriteHandle } from '../../../../ports/database/database.ts';
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

/** Entries that are being counted in their folders. */
export interface Increment {
  /** The folder of each, null for the root: known at once, so that the entries can be written without waiting. */
  readonly folders: readonly (FolderId | null)[];
  /** Resolves to false when the folders have changed since the paths were resolved. */
  readonly counted: Promise<boolean>;
}

/**
 * Adds the counts of entries at some paths to the folders in which they are. Creates those that are missing between a
 * path and its nearest existing folder, each counted in its parent. All statements are sent before this returns.
 *
 * @param deltaOf returns the counts of a place by its index.
 */
export function increment(
  clock: Clock,
  handle: WriteHandle,
  vault: OpenVault,
  places: readonly ResolvedPath[],
  deltaOf: (index: number) => CountDelta,
): Increment {
  const found = new Map(places.flatMap(({ nearest }) => (nearest === null ? [] : [[nearest.path, nearest] as const])));
  const made = new Map<string, { readonly id: FolderId; readonly parent: FolderId | null }>();
  const counts = new Map<string, CountDelta>();
  const add = (path: string, by: CountDelta) => {
    const { notes, children } = counts.get(path) ?? { notes: 0, children: 0 };
    counts.set(path, { notes: notes + by.notes, children: children + by.children });
  };
  const folders = places.map(({ path, nearest }, index) => {
    let above = { path: nearest?.path ?? '', id: nearest?.id ?? null };
    for (const folder of ancestorsOf(path).reverse()) {
      if (folder.length <= above.path.length) continue;
      const known = made.get(folder);
      const id = known?.id ?? (clock.uuid() as FolderId);
      if (known === undefined) {
        made.set(folder, { id, parent: above.id });
        add(above.path, { notes: 0, children: 1 });
      }
      above = { path: folder, id };
    }
    add(above.path, deltaOf(index));
    return above.id;
  });
  const changed: Promise<boolean>[] = [];
  for (const [path, by] of counts) {
    const folder = found.get(path);
    if (folder === undefined) continue;
    const { id, revision } = folder;
    changed.push(handle.run(store.countInNearestFolder, { vault: vault.id, id, revision, ...by }).then(isDone));
  }
  for (const [path, { id, parent }] of made) {
    const at = { parent, path, pathKey: pathKeyOf(vault, path), explicit: false };
    changed.push(insertFolder(clock, handle, vault, id, at, counts.get(path)));
  }
  return { folders, counted: Promise.all(changed).then((each) => each.every((done) => done)) };
}

const isDone = (rows: number) => rows > 0;

/** Creates a folder, by default an empty one; returns false when its path is taken. */
export async function insertFolder(
  clock: Clock,
  handle: WriteHandle,
  vault: OpenVault,
  id: FolderId,
  at: { readonly parent: FolderId | null; readonly path: string; readonly pathKey: Buffer; readonly explicit: boolean },
  { notes, children }: CountDelta = { notes: 0, children: 0 },
): Promise<boolean> {
  const made = await handle.run(store.insertFolder, {
    vault_id: vault.id,
    id,
    revision: 1,
    parent_id: at.parent,
    path_key: at.pathKey,
    explicit: at.explicit ? 1 : 0,
    notes,
    children,
    now: clock.now(),
    meta: folderMeta.seal(vault, id, 1, { path: at.path }),
  });
  return isDone(made);
}

/** Subtracts from the counts of a folder. Deletes it if it is empty and not explicit, then continues with its parent. */
export async function decrement(handle: WriteHandle, vault: OpenVault, folder: string, delta: CountDelta) {
  if (folder === '') return;
  let { notes, children } = delta;
  for (const path of [folder, ...ancestorsOf(folder)]) {
    const counts = { vault: vault.id, pathKey: pathKeyOf(vault, path), notes: -notes, children: -children };
    const left = await handle.get(store.countInFolder, counts);
    if (left === undefined || left.explicit === 1 || left.children > 0) return;
    await handle.runMany(deleteEntries, { vault_id: vault.id }, [left.id]);
    [notes, children] = [0, 1];
  }
}
