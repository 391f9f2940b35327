import { folderOf, foldPath } from '@notevault/note-text/paths.ts';
import type { FolderId } from '@notevault/protocol/ids.ts';
import type { Clock } from '../../ports/clock/clock.ts';
import type { WriteHandle } from '../../ports/database/database.ts';
import type { OpenVault } from '../vaults/vaults.ts';
import { type CountDelta, decrement, increment } from './folder-counts.ts';
import * as store from './namespace.store.ts';
import { type FolderEntry, type ItemKind, type ResolvedPath, sealFolderPath } from './path-lookup.ts';

/** Something that changes its path: what the caller named, and everything below that. */
export interface MovedPath {
  readonly kind: ItemKind;
  readonly id: string;
  readonly from: string;
  readonly to: string;
}

/** The same with the blind indexes of both paths, worked out before the transaction. */
export interface KeyedMovedPath extends MovedPath {
  readonly fromKey: Buffer;
  readonly toKey: Buffer;
}

/** A move of items, with all they contain, into one folder. Prepared while nobody else wrote to the vault. */
export interface MovePlan {
  readonly items: readonly KeyedMovedPath[];
  /** The folders among the items, nested ones included. */
  readonly folders: readonly FolderEntry[];
  /** The items the caller named: only these leave one folder and enter another. */
  readonly roots: readonly MovedPath[];
  /** Where the first of the tops goes; the others go into the same folder. */
  readonly resolved: ResolvedPath;
}

/** Carries out a move. Resolves to the folder the tops lie in now, or to what stood in the way. */
export async function relocate(
  clock: Clock,
  handle: WriteHandle,
  vault: OpenVault,
  { items, folders, roots, resolved }: MovePlan,
): Promise<{ ok: true; folder: FolderId | null } | { ok: false; conflictingId: string | null }> {
  // A change of case alone keeps the key, and with it the name's row.
  const renamed = items.filter(({ fromKey, toKey }) => !fromKey.equals(toKey));
  const names = renamed.map(({ kind, id, toKey }) => ({ pathKey: toKey, kind, item: id }));
  for (const slice of slices(renamed.map(({ fromKey }) => fromKey))) {
    await handle.runMany(store.deletePaths, { vault: vault.id }, slice);
  }
  let inserted = 0;
  for (const slice of slices(names)) inserted += await handle.runMany(store.insertPaths, { vault: vault.id }, slice);
  if (inserted < names.length) return { ok: false, conflictingId: await findConflict(handle, vault, names) };

  const departing = roots.filter(({ from, to }) => foldPath(folderOf(from)) !== foldPath(folderOf(to)));
  const targetId =
    departing.length === 0
      ? (resolved.nearest?.id ?? null)
      : await increment(clock, handle, vault, resolved, count(departing));
  if (targetId === undefined) return { ok: false, conflictingId: null };
  await moveFolders(handle, vault, items, folders, new Set(roots.map(({ id }) => id)), targetId);
  for (const [folder, left] of Map.groupBy(departing, ({ from }) => folderOf(from))) {
    await decrement(handle, vault, folder, count(left));
  }
  return { ok: true, folder: targetId };
}

/** Rows written between two looks at the clock: a long transaction lets others run only between its calls. */
const SLICE = 512;

function* slices<Item>(items: readonly Item[]): Generator<Item[]> {
  for (let at = 0; at < items.length; at += SLICE) yield items.slice(at, at + SLICE);
}

function count(items: readonly MovedPath[]): CountDelta {
  return { notes: items.filter(({ kind }) => kind === 'note').length, children: items.length };
}

/** The first item whose new name somebody else holds. */
async function findConflict(
  handle: WriteHandle,
  vault: OpenVault,
  names: readonly store.NewPath[],
): Promise<string | null> {
  const holders = await handle.allMany(
    store.findOwners,
    { vault: vault.id },
    names.map(({ pathKey }) => pathKey),
  );
  const holderOf = new Map(holders.map((row) => [row.path_key.toString('hex'), row.item_id]));
  return names.find(({ pathKey, item }) => holderOf.get(pathKey.toString('hex')) !== item)?.item ?? null;
}

/** Writes the moved folders' rows anew under their new paths; nothing refers to the rows but by id. */
async function moveFolders(
  handle: WriteHandle,
  vault: OpenVault,
  items: readonly KeyedMovedPath[],
  folders: readonly FolderEntry[],
  roots: ReadonlySet<string>,
  target: FolderId | null,
): Promise<void> {
  const pathOf = new Map(items.map(({ id, to, toKey }) => [id, { path: to, pathKey: toKey }]));
  const rows = folders.map((folder) => {
    const { path, pathKey } = pathOf.get(folder.id) ?? folder;
    return {
      id: folder.id,
      parent_id: roots.has(folder.id) ? target : folder.parentId,
      path_key: pathKey,
      explicit: folder.explicit ? 1 : 0,
      notes: folder.notes,
      children: folder.children,
      path: sealFolderPath(vault, folder.id, path),
    };
  });
  await handle.runMany(
    store.deleteFolders,
    { vault: vault.id },
    rows.map(({ id }) => id),
  );
  await handle.runMany(store.insertFolders, { vault: vault.id }, rows);
}
