import { folderOf, foldPath } from '@notevault/note-text/paths.ts';
import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { FolderId } from '@notevault/protocol/values/ids.ts';
import { slicesOf } from '../../../concurrency/slices.ts';
import type { Clock } from '../../../ports/clock/clock.ts';
import type { ReadHandle, WriteHandle } from '../../../ports/database/database.ts';
import type { OpenVault } from '../../vaults/vaults.ts';
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

/** A prepared move of items with their contents into one folder. */
export interface MovePlan {
  readonly items: readonly KeyedMovedPath[];
  /** The folders among the items, including nested ones. */
  readonly folders: readonly FolderEntry[];
  /** The requested items: only these change their folder. */
  readonly roots: readonly MovedPath[];
  /** The target of the first item; the others go to the same folder. */
  readonly resolved: ResolvedPath;
}

/**
 * Moves items with their contents; resolves to the folder that now contains them. Throws `conflict` when a new path is
 * taken, RevisionConflict when the folders have changed.
 */
export async function relocate(
  clock: Clock,
  handle: WriteHandle,
  vault: OpenVault,
  plan: MovePlan,
): Promise<FolderId | null> {
  const { items, folders, roots, resolved } = plan;
  await checkFree(handle, vault, plan);
  const departing = roots.filter(({ from, to }) => foldPath(folderOf(from)) !== foldPath(folderOf(to)));
  const {
    folders: [targetId = null],
    counted,
  } =
    departing.length === 0
      ? { folders: [resolved.nearest?.id ?? null], counted: true }
      : increment(clock, handle, vault, [resolved], count(departing));
  if (!(await counted)) throw new RevisionConflict();
  await moveFolders(clock, handle, vault, items, folders, new Set(roots.map(({ id }) => id)), targetId);
  for (const [folder, left] of Map.groupBy(departing, ({ from }) => folderOf(from))) {
    await decrement(handle, vault, folder, count(left));
  }
  return targetId;
}

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
  items: readonly KeyedMovedPath[],
  folders: readonly FolderEntry[],
  roots: ReadonlySet<string>,
  target: FolderId | null,
): Promise<void> {
  const pathOf = new Map(items.map(({ id, to, toKey }) => [id, { path: to, pathKey: toKey }]));
  for (const slice of slicesOf(folders, SLICE)) {
    const rows = slice.map((folder) => {
      const { path, pathKey } = pathOf.get(folder.id) ?? folder;
      const revision = folder.revision + 1;
      return {
        id: folder.id,
        revision,
        parent_id: roots.has(folder.id) ? target : folder.parentId,
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
