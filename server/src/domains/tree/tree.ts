import { folderOf } from '@notevault/note-text/paths.ts';
import type { FolderId } from '@notevault/protocol/ids.ts';
import type { Clock } from '../../engines/clock/clock.ts';
import type { ReadHandle, WriteHandle } from '../../engines/database/database.ts';
import type { OpenVault } from '../vaults/vaults.ts';
import { enter, leave } from './passage.ts';
import {
  type FolderEntry,
  findSpot,
  folderEntry,
  type Holder,
  type ItemKind,
  openFolderPath,
  pathKeyOf,
  type Spot,
} from './places.ts';
import { type Relocation, relocate } from './relocate.ts';
import * as store from './tree.store.ts';

export type { FolderEntry, Holder, ItemKind, Spot } from './places.ts';
export type { Relocated, Relocation } from './relocate.ts';

/** `folder` is the id of the folder the item now lies in; null at the root. */
export type Claimed =
  | { readonly ok: true; readonly folder: FolderId | null }
  | { readonly ok: false; readonly holder: Holder | null };

/** The outcome of a move: the folder the items lie in now, or the item whose new path somebody else holds. */
export type Moved =
  | { readonly ok: true; readonly folder: FolderId | null }
  | { readonly ok: false; readonly culprit: string | null };

/**
 * The one namespace of a vault: notes, attachments and folders hold their paths here, compared without case, and folders
 * come and go with what lies in them.
 */
export interface Tree {
  /** The blind index under which a path is held. */
  pathKey(vault: OpenVault, path: string): Buffer;
  holderOf(handle: ReadHandle, vault: OpenVault, path: string): Promise<Holder | null>;
  /** A folder's path in its stored spelling, or null when there is no such folder. */
  folderPath(handle: ReadHandle, vault: OpenVault, id: string): Promise<string | null>;
  /** Where a path would be stored: folders that exist keep their spelling. */
  spot(handle: ReadHandle, vault: OpenVault, path: string, pathKey: Buffer): Promise<Spot>;
  /**
   * Takes the path for an item and counts it into its folder, making the folders that are missing. Not ok when somebody
   * else holds the path (`holder`), or when the folders changed since `spot` (`holder` null: find the spot anew).
   */
  claim(handle: WriteHandle, vault: OpenVault, spot: Spot, kind: ItemKind, id: string): Promise<Claimed>;
  /** Gives the path back; folders left empty without a marker go. */
  release(handle: WriteHandle, vault: OpenVault, path: string, kind: ItemKind, id: string): Promise<void>;
  /** Moves items with all below them. Not ok when a new path is held (or, `culprit` null, the folders changed). */
  relocate(handle: WriteHandle, vault: OpenVault, move: Relocation): Promise<Moved>;
  /** Every folder of the vault, in no order. */
  folders(handle: ReadHandle, vault: OpenVault): Promise<FolderEntry[]>;
  folderById(handle: ReadHandle, vault: OpenVault, id: string): Promise<FolderEntry | null>;
  folderAt(handle: ReadHandle, vault: OpenVault, path: string): Promise<FolderEntry | null>;
  /** These folders and all folders below them. */
  foldersBelow(handle: ReadHandle, vault: OpenVault, tops: readonly FolderEntry[]): Promise<FolderEntry[]>;
  /** Makes the folder stay when it is empty, or lets it go with the last thing in it. */
  mark(handle: WriteHandle, vault: OpenVault, folder: FolderEntry, marked: boolean): Promise<void>;
  /** Deletes a slice of a purged vault's rows; true when more may be left. */
  eraseSlice(handle: WriteHandle, vaultId: OpenVault['id']): Promise<boolean>;
}

const ERASE_SLICE = 2000;

export function createTree(clock: Clock): Tree {
  async function holderOf(handle: ReadHandle, vault: OpenVault, path: string): Promise<Holder | null> {
    const row = await handle.get(store.findName, { vault: vault.id, pathKey: pathKeyOf(vault, path) });
    return row === undefined ? null : { kind: row.kind as ItemKind, id: row.item_id };
  }

  async function folderById(handle: ReadHandle, vault: OpenVault, id: string): Promise<FolderEntry | null> {
    const [row] = await handle.allIn(store.findFoldersById, { vault: vault.id }, [id]);
    return row === undefined ? null : folderEntry(vault, row);
  }

  return {
    pathKey: pathKeyOf,
    spot: findSpot,
    holderOf,
    folderById,
    relocate: (handle, vault, move) => relocate(clock, handle, vault, move),
    async folderPath(handle, vault, id) {
      const row = await handle.get(store.findFolder, { vault: vault.id, id });
      return row === undefined ? null : openFolderPath(vault, id, row.path);
    },
    async claim(handle, vault, at, kind, id) {
      if (at.blocked !== null) return { ok: false, holder: at.blocked.holder };
      const taken = { vault: vault.id, pathKey: at.pathKey, kind, item: id };
      if ((await handle.run(store.insertName, taken)) === 0) {
        return { ok: false, holder: await holderOf(handle, vault, at.path) };
      }
      const folder = await enter(clock, handle, vault, at, { notes: kind === 'note' ? 1 : 0, children: 1 });
      return folder === undefined ? { ok: false, holder: null } : { ok: true, folder };
    },
    async release(handle, vault, path, kind, id) {
      await handle.run(store.deleteName, { vault: vault.id, pathKey: pathKeyOf(vault, path), item: id });
      await leave(handle, vault, folderOf(path), { notes: kind === 'note' ? 1 : 0, children: 1 });
    },
    async folders(handle, vault) {
      return (await handle.all(store.findFolders, { vault: vault.id })).map((row) => folderEntry(vault, row));
    },
    async folderAt(handle, vault, path) {
      const holder = await holderOf(handle, vault, path);
      return holder?.kind === 'folder' ? folderById(handle, vault, holder.id) : null;
    },
    async foldersBelow(handle, vault, tops) {
      const found = [...tops];
      for (let level = tops.map(({ id }) => id); level.length > 0; ) {
        const rows = await handle.allIn(store.findFoldersIn, { vault: vault.id }, level);
        found.push(...rows.map((row) => folderEntry(vault, row)));
        level = rows.map(({ id }) => id as FolderId);
      }
      return found;
    },
    async mark(handle, vault, folder, marked) {
      const { id, path, pathKey } = folder;
      const row = await handle.get(store.setMarker, { vault: vault.id, id, marker: marked ? 1 : 0 });
      if (row === undefined || marked || row.children > 0) return;
      await handle.run(store.deleteFolder, { vault: vault.id, id });
      await handle.run(store.deleteName, { vault: vault.id, pathKey, item: id });
      await leave(handle, vault, folderOf(path), { notes: 0, children: 1 });
    },
    async eraseSlice(handle, vaultId) {
      const slice = { vault: vaultId, limit: ERASE_SLICE };
      const erased = [await handle.run(store.eraseNames, slice), await handle.run(store.eraseFolders, slice)];
      return erased.some((rows) => rows === ERASE_SLICE);
    },
  };
}
