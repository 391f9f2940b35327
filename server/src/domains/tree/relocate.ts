import { folderOf, foldPath } from '@notevault/note-text/paths.ts';
import type { FolderId } from '@notevault/protocol/ids.ts';
import type { Clock } from '../../engines/clock/clock.ts';
import type { WriteHandle } from '../../engines/database/database.ts';
import type { OpenVault } from '../vaults/vaults.ts';
import { enter, leave, type Passing } from './passage.ts';
import { type FolderEntry, type ItemKind, type Spot, sealFolderPath } from './places.ts';
import * as store from './tree.store.ts';

/** Something that changes its path: what the caller named, and everything below that. */
export interface Relocated {
  readonly kind: ItemKind;
  readonly id: string;
  readonly from: string;
  readonly to: string;
}

/** The same with the blind indexes of both paths, worked out before the transaction. */
export interface KeyedRelocated extends Relocated {
  readonly fromKey: Buffer;
  readonly toKey: Buffer;
}

/** A move of items, with all they contain, into one folder. Prepared while nobody else wrote to the vault. */
export interface Relocation {
  readonly items: readonly KeyedRelocated[];
  /** The folders among the items, nested ones included. */
  readonly folders: readonly FolderEntry[];
  /** The items the caller named: only these leave one folder and enter another. */
  readonly tops: readonly Relocated[];
  /** Where the first of the tops goes; the others go into the same folder. */
  readonly spot: Spot;
}

/** Carries out a move. Resolves to the folder the tops lie in now, or to what stood in the way. */
export async function relocate(
  clock: Clock,
  handle: WriteHandle,
  vault: OpenVault,
  { items, folders, tops, spot }: Relocation,
): Promise<{ ok: true; folder: FolderId | null } | { ok: false; culprit: string | null }> {
  // A change of case alone keeps the key, and with it the name's row.
  const renamed = items.filter(({ fromKey, toKey }) => !fromKey.equals(toKey));
  const names = renamed.map(({ kind, id, toKey }) => ({ pathKey: toKey, kind, item: id }));
  for (const slice of slices(renamed.map(({ fromKey }) => fromKey))) {
    await handle.runIn(store.deleteNames, { vault: vault.id }, slice);
  }
  let held = 0;
  for (const slice of slices(names)) held += await handle.runIn(store.insertNames, { vault: vault.id }, slice);
  if (held < names.length) return { ok: false, culprit: await findCulprit(handle, vault, names) };

  const leaving = tops.filter(({ from, to }) => foldPath(folderOf(from)) !== foldPath(folderOf(to)));
  const entered =
    leaving.length === 0 ? (spot.anchor?.id ?? null) : await enter(clock, handle, vault, spot, count(leaving));
  if (entered === undefined) return { ok: false, culprit: null };
  await moveFolders(handle, vault, items, folders, new Set(tops.map(({ id }) => id)), entered);
  for (const [folder, left] of Map.groupBy(leaving, ({ from }) => folderOf(from))) {
    await leave(handle, vault, folder, count(left));
  }
  return { ok: true, folder: entered };
}

/** Rows written between two looks at the clock: a long transaction lets others run only between its calls. */
const SLICE = 512;

function* slices<Item>(items: readonly Item[]): Generator<Item[]> {
  for (let at = 0; at < items.length; at += SLICE) yield items.slice(at, at + SLICE);
}

function count(items: readonly Relocated[]): Passing {
  return { notes: items.filter(({ kind }) => kind === 'note').length, children: items.length };
}

/** The first item whose new name somebody else holds. */
async function findCulprit(
  handle: WriteHandle,
  vault: OpenVault,
  names: readonly store.NewName[],
): Promise<string | null> {
  const holders = await handle.allIn(
    store.findHolders,
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
  items: readonly KeyedRelocated[],
  folders: readonly FolderEntry[],
  tops: ReadonlySet<string>,
  target: FolderId | null,
): Promise<void> {
  const placeOf = new Map(items.map(({ id, to, toKey }) => [id, { path: to, pathKey: toKey }]));
  const rows = folders.map((folder) => {
    const { path, pathKey } = placeOf.get(folder.id) ?? folder;
    return {
      id: folder.id,
      parent_id: tops.has(folder.id) ? target : folder.parentId,
      path_key: pathKey,
      marker: folder.marked ? 1 : 0,
      notes: folder.notes,
      children: folder.children,
      path: sealFolderPath(vault, folder.id, path),
    };
  });
  await handle.runIn(
    store.deleteFolders,
    { vault: vault.id },
    rows.map(({ id }) => id),
  );
  await handle.runIn(store.insertFolders, { vault: vault.id }, rows);
}
