import { folderOf, normalizePath, PathError } from '@notevault/note-text/paths.ts';
import { invalid, NotevaultError } from '@notevault/protocol/errors.ts';
import { type FolderId, parseUuid } from '@notevault/protocol/ids.ts';
import { createYield } from '../../concurrency/yield.ts';
import type { Clock } from '../../ports/clock/clock.ts';
import type { ReadHandle, WriteHandle } from '../../ports/database/database.ts';
import type { OpenVault } from '../vaults/vaults.ts';
import { decrement, increment } from './folder-counts.ts';
import * as store from './namespace.store.ts';
import {
  type FolderEntry,
  folderEntry,
  type ItemKind,
  openFolderPath,
  type PathOwner,
  pathKeyOf,
  type ResolvedPath,
  resolvePath,
  sealFolderPath,
} from './path-lookup.ts';
import { type MovePlan, relocate } from './relocate.ts';

/** Where a batch goes, as sent: a folder's id (or `root`), or a folder's path (empty: the root). */
export interface TargetInput {
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

export type { FolderEntry, ItemKind, PathOwner, ResolvedPath } from './path-lookup.ts';
export type { KeyedMovedPath, MovedPath, MovePlan } from './relocate.ts';

/** `folder` is the id of the folder the item now lies in; null at the root. */
export type ClaimResult =
  | { readonly ok: true; readonly folder: FolderId | null }
  | { readonly ok: false; readonly owner: PathOwner | null };

/** The outcome of a move: the folder the items lie in now, or the item whose new path somebody else holds. */
export type MoveResult =
  | { readonly ok: true; readonly folder: FolderId | null }
  | { readonly ok: false; readonly conflictingId: string | null };

/**
 * The one namespace of a vault: notes, attachments and folders hold their paths here, compared without case, and folders
 * come and go with what lies in them.
 */
export interface Namespace {
  /** The blind index under which a path is held. */
  pathKey(vault: OpenVault, path: string): Buffer;
  ownerOf(handle: ReadHandle, vault: OpenVault, path: string): Promise<PathOwner | null>;
  /** A folder's path in its stored spelling, or null when there is no such folder. */
  folderPath(handle: ReadHandle, vault: OpenVault, id: string): Promise<string | null>;
  /** Where a path would be stored: folders that exist keep their spelling. */
  resolve(handle: ReadHandle, vault: OpenVault, path: string, pathKey: Buffer): Promise<ResolvedPath>;
  /**
   * Takes the path for an item and counts it into its folder, making the folders that are missing. Not ok when somebody
   * else holds the path (`holder`), or when the folders changed since `spot` (`holder` null: find the spot anew).
   */
  claim(handle: WriteHandle, vault: OpenVault, resolve: ResolvedPath, kind: ItemKind, id: string): Promise<ClaimResult>;
  /** Gives the path back; folders left empty that are not explicit go. */
  release(handle: WriteHandle, vault: OpenVault, path: string, kind: ItemKind, id: string): Promise<void>;
  /** Moves items with all below them. Not ok when a new path is held (or, `culprit` null, the folders changed). */
  relocate(handle: WriteHandle, vault: OpenVault, move: MovePlan): Promise<MoveResult>;
  /** Every folder of the vault, in no order. */
  folders(handle: ReadHandle, vault: OpenVault): Promise<FolderEntry[]>;
  folderById(handle: ReadHandle, vault: OpenVault, id: string): Promise<FolderEntry | null>;
  folderAt(handle: ReadHandle, vault: OpenVault, path: string): Promise<FolderEntry | null>;
  /** These folders and all folders below them. */
  foldersBelow(handle: ReadHandle, vault: OpenVault, roots: readonly FolderEntry[]): Promise<FolderEntry[]>;
  /**
   * The path of the folder a batch goes to, which need not exist yet. Throws `missing_target`, `item_not_found` for an id
   * of no explicit folder, a validation error on `field` for a path.
   */
  targetPath(handle: ReadHandle, vault: OpenVault, sent: TargetInput, field: string): Promise<string>;
  /** Makes a folder that stays when it is empty. Not ok as `claim`. */
  makeFolder(handle: WriteHandle, vault: OpenVault, resolve: ResolvedPath): Promise<ClaimResult>;
  /** Takes folders away with all below them: `below` are they and the nested ones, `paths` those of what is in them. */
  removeFolders(
    handle: WriteHandle,
    vault: OpenVault,
    roots: readonly FolderEntry[],
    below: readonly FolderEntry[],
    paths: readonly string[],
  ): Promise<void>;
  /** Makes the folder stay when it is empty, or lets it go with the last thing in it. */
  setExplicit(handle: WriteHandle, vault: OpenVault, folder: FolderEntry, marked: boolean): Promise<void>;
  /** Deletes a slice of a purged vault's rows; true when more may be left. */
  purgeSlice(handle: WriteHandle, vaultId: OpenVault['id']): Promise<boolean>;
}

const PURGE_SLICE = 2000;

export function createNamespace(clock: Clock): Namespace {
  async function ownerOf(handle: ReadHandle, vault: OpenVault, path: string): Promise<PathOwner | null> {
    const row = await handle.get(store.findPath, { vault: vault.id, pathKey: pathKeyOf(vault, path) });
    return row === undefined ? null : { kind: row.kind as ItemKind, id: row.item_id };
  }

  async function folderById(handle: ReadHandle, vault: OpenVault, id: string): Promise<FolderEntry | null> {
    const [row] = await handle.allMany(store.findFoldersById, { vault: vault.id }, [id]);
    return row === undefined ? null : folderEntry(vault, row);
  }

  return {
    pathKey: pathKeyOf,
    resolve: resolvePath,
    ownerOf,
    folderById,
    relocate: (handle, vault, move) => relocate(clock, handle, vault, move),
    async folderPath(handle, vault, id) {
      const row = await handle.get(store.findFolder, { vault: vault.id, id });
      return row === undefined ? null : openFolderPath(vault, id, row.path);
    },
    async claim(handle, vault, at, kind, id) {
      if (at.blocked !== null) return { ok: false, owner: at.blocked.owner };
      const taken = { vault: vault.id, pathKey: at.pathKey, kind, item: id };
      if ((await handle.run(store.insertPath, taken)) === 0) {
        return { ok: false, owner: await ownerOf(handle, vault, at.path) };
      }
      const folder = await increment(clock, handle, vault, at, { notes: kind === 'note' ? 1 : 0, children: 1 });
      return folder === undefined ? { ok: false, owner: null } : { ok: true, folder };
    },
    async release(handle, vault, path, kind, id) {
      await handle.run(store.deletePath, { vault: vault.id, pathKey: pathKeyOf(vault, path), item: id });
      await decrement(handle, vault, folderOf(path), { notes: kind === 'note' ? 1 : 0, children: 1 });
    },
    async targetPath(handle, vault, sent, field) {
      const given = [sent.id, sent.path].filter((value) => value !== undefined && value !== null);
      const [value] = given;
      if (given.length !== 1 || typeof value !== 'string') throw new NotevaultError('missing_target');
      if (value === sent.path) return folderPathFrom(value, field);
      if (value === 'root') return '';
      const id = parseUuid(value);
      const folder = id === null ? null : await folderById(handle, vault, id);
      if (!folder?.explicit) throw new NotevaultError('item_not_found', { item_id: value });
      return folder.path;
    },
    async makeFolder(handle, vault, at) {
      if (at.blocked !== null) return { ok: false, owner: at.blocked.owner };
      const id = clock.uuid() as FolderId;
      if (
        (await handle.run(store.insertPath, { vault: vault.id, pathKey: at.pathKey, kind: 'folder', item: id })) === 0
      ) {
        return { ok: false, owner: await ownerOf(handle, vault, at.path) };
      }
      const parent = await increment(clock, handle, vault, at, { notes: 0, children: 1 });
      if (parent === undefined) return { ok: false, owner: null };
      const row = { vault: vault.id, id, parent, pathKey: at.pathKey, explicit: 1 };
      await handle.run(store.insertFolder, { ...row, path: sealFolderPath(vault, id, at.path) });
      return { ok: true, folder: id };
    },
    async removeFolders(handle, vault, roots, below, paths) {
      const keys = [...below.map(({ pathKey }) => pathKey), ...paths.map((path) => pathKeyOf(vault, path))];
      const deletedIds = new Set(below.map(({ id }) => id));
      await handle.runMany(store.deletePaths, { vault: vault.id }, keys);
      await handle.runMany(store.deleteFolders, { vault: vault.id }, [...deletedIds]);
      const outermost = roots.filter(({ parentId }) => parentId === null || !deletedIds.has(parentId));
      for (const [parent, left] of Map.groupBy(outermost, ({ path }) => folderOf(path))) {
        await decrement(handle, vault, parent, { notes: 0, children: new Set(left.map(({ id }) => id)).size });
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
      const owner = await ownerOf(handle, vault, path);
      return owner?.kind === 'folder' ? folderById(handle, vault, owner.id) : null;
    },
    async foldersBelow(handle, vault, roots) {
      const found = [...roots];
      for (let layer = roots.map(({ id }) => id); layer.length > 0; ) {
        const rows = await handle.allMany(store.findFoldersIn, { vault: vault.id }, layer);
        found.push(...rows.map((row) => folderEntry(vault, row)));
        layer = rows.map(({ id }) => id as FolderId);
      }
      return found;
    },
    async setExplicit(handle, vault, folder, marked) {
      const { id, path, pathKey } = folder;
      const row = await handle.get(store.setExplicit, { vault: vault.id, id, explicit: marked ? 1 : 0 });
      if (row === undefined || marked || row.children > 0) return;
      await handle.run(store.deleteFolder, { vault: vault.id, id });
      await handle.run(store.deletePath, { vault: vault.id, pathKey, item: id });
      await decrement(handle, vault, folderOf(path), { notes: 0, children: 1 });
    },
    async purgeSlice(handle, vaultId) {
      const slice = { vault: vaultId, limit: PURGE_SLICE };
      const erased = [await handle.run(store.purgePaths, slice), await handle.run(store.purgeFolders, slice)];
      return erased.some((rows) => rows === PURGE_SLICE);
    },
  };
}
