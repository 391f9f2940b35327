import { folderOf, normalizePath, PathError } from '@notevault/note-text/paths.ts';
import { invalid, NotevaultError } from '@notevault/protocol/errors.ts';
import { type FolderId, parseUuid } from '@notevault/protocol/ids.ts';
import { createYield } from '../../concurrency/yield.ts';
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
  sealFolderPath,
} from './places.ts';
import { type Relocation, relocate } from './relocate.ts';
import * as store from './tree.store.ts';

/** Where a batch goes, as sent: a folder's id (or `root`), or a folder's path (empty: the root). */
export interface SentTarget {
  readonly id?: unknown;
  readonly path?: unknown;
}

/** A path from a request in its stored form. Throws a validation error on `field`. */
export function pathFrom(raw: string, field: string, normalize: (raw: string) => string = normalizePath): string {
  try {
    return normalize(raw);
  } catch (error) {
    if (error instanceof PathError) throw invalid({ [field]: [error.reason] });
    throw error;
  }
}

/** As pathFrom, for a folder: empty for the root, however many slashes and dots say so. */
export function folderPathFrom(raw: string, field: string): string {
  return /^(\.?[/\\])*\.?$/.test(raw) ? '' : pathFrom(raw, field);
}

export type { FolderEntry, Holder, ItemKind, Spot } from './places.ts';
export type { KeyedRelocated, Relocated, Relocation } from './relocate.ts';

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
  /**
   * The path of the folder a batch goes to, which need not exist yet. Throws `missing_target`, `item_not_found` for an id
   * of no folder that somebody made, a validation error on `field` for a path.
   */
  targetPath(handle: ReadHandle, vault: OpenVault, sent: SentTarget, field: string): Promise<string>;
  /** Makes a folder that stays when it is empty. Not ok as `claim`. */
  makeFolder(handle: WriteHandle, vault: OpenVault, spot: Spot): Promise<Claimed>;
  /** Takes folders away with all below them: `below` are they and the nested ones, `paths` those of what is in them. */
  removeFolders(
    handle: WriteHandle,
    vault: OpenVault,
    tops: readonly FolderEntry[],
    below: readonly FolderEntry[],
    paths: readonly string[],
  ): Promise<void>;
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
    async targetPath(handle, vault, sent, field) {
      const given = [sent.id, sent.path].filter((value) => value !== undefined && value !== null);
      const [value] = given;
      if (given.length !== 1 || typeof value !== 'string') throw new NotevaultError('missing_target');
      if (value === sent.path) return folderPathFrom(value, field);
      if (value === 'root') return '';
      const id = parseUuid(value);
      const folder = id === null ? null : await folderById(handle, vault, id);
      if (!folder?.marked) throw new NotevaultError('item_not_found', { item_id: value });
      return folder.path;
    },
    async makeFolder(handle, vault, at) {
      if (at.blocked !== null) return { ok: false, holder: at.blocked.holder };
      const id = clock.uuid() as FolderId;
      if (
        (await handle.run(store.insertName, { vault: vault.id, pathKey: at.pathKey, kind: 'folder', item: id })) === 0
      ) {
        return { ok: false, holder: await holderOf(handle, vault, at.path) };
      }
      const parent = await enter(clock, handle, vault, at, { notes: 0, children: 1 });
      if (parent === undefined) return { ok: false, holder: null };
      const row = { vault: vault.id, id, parent, pathKey: at.pathKey, marker: 1 };
      await handle.run(store.insertFolder, { ...row, path: sealFolderPath(vault, id, at.path) });
      return { ok: true, folder: id };
    },
    async removeFolders(handle, vault, tops, below, paths) {
      const keys = [...below.map(({ pathKey }) => pathKey), ...paths.map((path) => pathKeyOf(vault, path))];
      const gone = new Set(below.map(({ id }) => id));
      await handle.runIn(store.deleteNames, { vault: vault.id }, keys);
      await handle.runIn(store.deleteFolders, { vault: vault.id }, [...gone]);
      const outermost = tops.filter(({ parentId }) => parentId === null || !gone.has(parentId));
      for (const [parent, left] of Map.groupBy(outermost, ({ path }) => folderOf(path))) {
        await leave(handle, vault, parent, { notes: 0, children: new Set(left.map(({ id }) => id)).size });
      }
    },
    async folders(handle, vault) {
      const yieldIfDue = createYield();
      const entries: FolderEntry[] = [];
      for (const row of await handle.all(store.findFolders, { vault: vault.id })) {
        await yieldIfDue();
        entries.push(folderEntry(vault, row));
      }
      return entries;
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
