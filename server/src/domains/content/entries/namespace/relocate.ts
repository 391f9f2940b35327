import { folderOf, foldPath } from '@notevault/note-text/paths.ts';
import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { FolderId } from '@notevault/protocol/values/ids.ts';
import { slicesOf } from '../../../../concurrency/slices.ts';
import type { Clock } from '../../../../ports/clock/clock.ts';
import type { ReadHandle, WriteHandle } from '../../../../ports/database/database.ts';
import type { OpenVault } from '../../vaults/vaults.ts';
import { rekeyEntries, type StoredEntry } from '../entries.store.ts';
import type { EntryKind } from '../entries.tables.ts';
import { RevisionConflict } from '../revision-conflict.ts';
import { folderMeta } from '../sealed-entry.ts';
import { type CountDelta, decrement, increment } from './folder-counts.ts';
import * as store from './folders.store.ts';
import type { FolderEntry, ResolvedPath } from './path-lookup.ts';

/** An item whose path changes: a requested one, or one below it. */
export interface MovedPath {
  readonly kind: EntryKind;
  readonly id: string;
  readonly from: string;
  readonly to: string;
}

/** The item with the blind indexes of both paths, computed before the transaction. */
export interface KeyedMovedPath extends MovedPath {
  readonly fromKey: Buffer;
  readonly toKey: Buffer;
}

/** A prepared move of items with their contents. */
export interface MovePlan {
  readonly items: readonly KeyedMovedPath[];
  /** The folders among the items, including nested ones. */
  readonly folders: readonly FolderEntry[];
  /** The requested items: only these change their folder. */
  readonly roots: readonly MovedPath[];
  /** A target in each folder that gets items, by the path of the folder. */
  readonly places: ReadonlyMap<string, ResolvedPath>;
  /** Rows moved to temporary path keys, as others take their names; null where names must be free beforehand. */
  readonly parked: readonly StoredEntry[] | null;
}

/**
 * Moves items with their contents; resolves to a function that returns the folder which now contains a requested one.
 * Throws `conflict` when a new path is taken, RevisionConflict when the folders have changed.
 */
export async function relocate(
  clock: Clock,
  handle: WriteHandle,
  vault: OpenVault,
  plan: MovePlan,
): Promise<(root: Pick<MovedPath, 'to'>) => FolderId | null> {
  const { items, folders, roots, places, parked } = plan;
  if (parked === null) await checkFree(handle, vault, plan);
  else await handle.runMany(rekeyEntries, { vault: vault.id }, parked);
  const departing = roots.filter(({ from, to }) => foldPath(folderOf(from)) !== foldPath(folderOf(to)));
  const arriving = Map.groupBy(departing, ({ to }) => folderOf(to));
  const idOf = new Map([...places].map(([folder, { nearest }]) => [folder, nearest?.id ?? null]));
  const entered = [...arriving.keys()].flatMap((folder) => places.get(folder) ?? []);
  const counts = [...arriving.values()].map(count);
  const increased = increment(clock, handle, vault, entered, (index) => counts[index] ?? NOTHING);
  if (!(await increased.counted)) throw new RevisionConflict();
  for (const [index, folder] of [...arriving.keys()].entries()) idOf.set(folder, increased.folders[index] ?? null);
  const targetOf = ({ to }: Pick<MovedPath, 'to'>) => idOf.get(folderOf(to)) ?? null;
  await moveFolders(clock, handle, vault, { items, folders, roots }, targetOf);
  for (const [folder, left] of Map.groupBy(departing, ({ from }) => folderOf(from))) {
    await decrement(handle, vault, folder, count(left));
  }
  // Only now the folders that the move empties are gone.
  if (parked !== null) await checkFree(handle, vault, plan);
  return targetOf;
}

const NOTHING: CountDelta = { notes: 0, children: 0 };

/** Throws `conflict` with `item_id` when a new path is taken. */
export async function checkFree(
  handle: ReadHandle,
  vault: OpenVault,
  { items, roots }: Pick<MovePlan, 'items' | 'roots'>,
): Promise<void> {
  const taken = await findConflict(handle, vault, items);
  if (taken === undefined) return;
  // A conflict of an entry below a folder is reported for the folder.
  const root = roots.find(({ id, from }) => id === taken.id || taken.from.startsWith(`${from}/`));
  throw new NotevaultError('conflict', { item_id: root?.id ?? taken.id });
}

function count(items: readonly MovedPath[]): CountDelta {
  return { notes: items.filter(({ kind }) => kind === 'note').length, children: items.length };
}

/** Returns the first item whose new path is taken by another entry or by an earlier item. */
async function findConflict(handle: ReadHandle, vault: OpenVault, items: readonly KeyedMovedPath[]) {
  // A change of case alone keeps the path key, so it cannot conflict.
  const renamed = items.filter(({ fromKey, toKey }) => !fromKey.equals(toKey));
  const leaving = new Set(renamed.map(({ id }) => id));
  const taken = new Map<string, { readonly id: string; readonly leaves: boolean }>();
  for (const slice of slicesOf(renamed, SLICE)) {
    const keys = slice.map(({ toKey }) => toKey);
    for (const { path_key, id } of await handle.allMany(store.findOwners, { vault: vault.id }, keys)) {
      taken.set(path_key.toString('hex'), { id, leaves: leaving.has(id) });
    }
  }
  const claimed = new Set<string>();
  let inTheWay: KeyedMovedPath | undefined;
  for (const item of renamed) {
    const key = item.toKey.toString('hex');
    const owner = taken.get(key);
    if (claimed.has(key) || owner?.leaves === false) return item;
    // Rows are updated one after the other: the path of another moving item is not free yet.
    if (owner !== undefined) inTheWay ??= item;
    claimed.add(key);
  }
  return inTheWay;
}

async function moveFolders(
  clock: Clock,
  handle: WriteHandle,
  vault: OpenVault,
  { items, folders, roots }: Pick<MovePlan, 'items' | 'folders' | 'roots'>,
  targetOf: (root: MovedPath) => FolderId | null,
): Promise<void> {
  const rootOf = new Map(roots.map((root) => [root.id, root]));
  const pathOf = new Map(items.map(({ id, to, toKey }) => [id, { path: to, pathKey: toKey }]));
  for (const slice of slicesOf(folders, SLICE)) {
    const rows = slice.map((folder) => {
      const { path, pathKey } = pathOf.get(folder.id) ?? folder;
      const revision = folder.revision + 1;
      const root = rootOf.get(folder.id);
      return {
        id: folder.id,
        revision,
        parent_id: root === undefined ? folder.parentId : targetOf(root),
        path_key: pathKey,
        created_at: folder.createdAt,
        updated_at: clock.now(),
        explicit: folder.explicit ? 1 : 0,
        notes: folder.notes,
        children: folder.children,
        meta: folderMeta.seal(vault, folder.id, revision, { path }),
      };
    });
    await handle.runMany(store.overwriteFolders, { vault: vault.id, now: clock.now() }, rows);
  }
}

/** Rows written between two yields: during a long transaction, others run only between its calls. */
const SLICE = 512;
