import { folderOf } from '@notevault/note-text/paths.ts';
import { NotevaultError } from '@notevault/protocol/errors.ts';
import { type FolderId, parseUuid } from '@notevault/protocol/ids.ts';
import { createYield } from '../../../concurrency/yield.ts';
import type { Clock } from '../../../ports/clock/clock.ts';
import type { ReadHandle, WriteHandle } from '../../../ports/database/database.ts';
import type { OpenVault } from '../../vaults/vaults.ts';
import { deleteEntries } from '../entries.store.ts';
import type { EntryKind } from '../entries.tables.ts';
import { folderPathFrom } from '../request-paths.ts';
import { decrement, increment, insertFolder } from './folder-counts.ts';
import * as store from './folders.store.ts';
import {
  type FolderEntry,
  folderEntry,
  type PathOwner,
  pathKeyOf,
  type ResolvedPath,
  resolvePath,
} from './path-lookup.ts';
import { type MovePlan, relocate } from './relocate.ts';

/** The target of a batch as sent: a folder's id (or `root`), or a folder's path (empty: the root). */
export interface TargetInput {
  readonly id?: unknown;
  readonly path?: unknown;
}

export type { FolderEntry, PathOwner, ResolvedPath } from './path-lookup.ts';
export type { KeyedMovedPath, MovedPath, MovePlan } from './relocate.ts';

/**
 * `folder` is the id of the containing folder, null for the root. Not ok when the entry `owner` has the path or, if
 * that is null, when the folders have changed.
 */
export type EnterResult =
  | { readonly ok: true; readonly folder: FolderId | null }
  | { readonly ok: false; readonly owner: PathOwner | null };

/** The result of a move: the folder that now contains the items, or the item whose new path is taken. */
export type MoveResult =
  | { readonly ok: true; readonly folder: FolderId | null }
  | { readonly ok: false; readonly conflictingId: string | null };

/**
 * The namespace of a vault: notes, attachments and folders have unique paths, compared without case. Folders are
 * created and deleted with their contents.
 */
export interface Namespace {
  /** Returns the blind index of a path. */
  pathKey(vault: OpenVault, path: string): Buffer;
  ownerOf(handle: ReadHandle, vault: OpenVault, path: string): Promise<PathOwner | null>;
  /** Returns a folder's path in its stored spelling; null when there is no such folder. */
  folderPath(handle: ReadHandle, vault: OpenVault, id: string): Promise<string | null>;
  /** Resolves a path to its stored form: existing folders keep their spelling. */
  resolve(handle: ReadHandle, vault: OpenVault, path: string, pathKey: Buffer): Promise<ResolvedPath>;
  /**
   * Adds an entry to its folder's counts and creates missing folders, before the entry's row is inserted; that insert
   * fails when the path is taken. Not ok when the folders have changed since the path was resolved (`owner` null:
   * resolve it again).
   */
  enter(handle: WriteHandle, vault: OpenVault, resolved: ResolvedPath, kind: EntryKind): Promise<EnterResult>;
  /**
   * Subtracts deleted entries of one kind from the counts of their folders; deletes empty folders that are not
   * explicit.
   */
  leave(handle: WriteHandle, vault: OpenVault, paths: readonly string[], kind: EntryKind): Promise<void>;
  /**
   * Moves items with their contents. Not ok when a new path is taken or, if `conflictingId` is null, when the folders
   * have changed.
   */
  relocate(handle: WriteHandle, vault: OpenVault, move: MovePlan): Promise<MoveResult>;
  /** Returns every folder of the vault, unordered. */
  allFolders(handle: ReadHandle, vault: OpenVault): Promise<FolderEntry[]>;
  folderById(handle: ReadHandle, vault: OpenVault, id: string): Promise<FolderEntry | null>;
  folderAt(handle: ReadHandle, vault: OpenVault, path: string): Promise<FolderEntry | null>;
  /** Returns these folders and all folders below them. */
  foldersBelow(handle: ReadHandle, vault: OpenVault, roots: readonly FolderEntry[]): Promise<FolderEntry[]>;
  /**
   * Returns the path of a batch's target folder, which need not exist yet. Throws `missing_target`, `item_not_found`
   * for an id of no explicit folder, a validation error on `field` for a path.
   */
  targetPath(handle: ReadHandle, vault: OpenVault, sent: TargetInput, field: string): Promise<string>;
  /** Creates an explicit folder. Not ok like `enter`, or when its path is taken. */
  makeFolder(handle: WriteHandle, vault: OpenVault, resolved: ResolvedPath): Promise<EnterResult>;
  /** Deletes folders: `below` are these and the nested ones, all without other contents. */
  removeFolders(
    handle: WriteHandle,
    vault: OpenVault,
    roots: readonly FolderEntry[],
    below: readonly FolderEntry[],
  ): Promise<void>;
  /** Sets whether the folder is explicit, and so remains when it is empty. */
  setExplicit(handle: WriteHandle, vault: OpenVault, folder: FolderEntry, explicit: boolean): Promise<void>;
}

export function createNamespace(clock: Clock): Namespace {
  async function ownerOf(handle: ReadHandle, vault: OpenVault, path: string): Promise<PathOwner | null> {
    return (await handle.get(store.findOwner, { vault: vault.id, pathKey: pathKeyOf(vault, path) })) ?? null;
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
    folderPath: async (handle, vault, id) => (await folderById(handle, vault, id))?.path ?? null,
    async enter(handle, vault, resolved, kind) {
      if (resolved.blocked !== null) return { ok: false, owner: resolved.blocked.owner };
      const folder = await increment(clock, handle, vault, resolved, { notes: kind === 'note' ? 1 : 0, children: 1 });
      return folder === undefined ? { ok: false, owner: null } : { ok: true, folder };
    },
    async leave(handle, vault, paths, kind) {
      for (const [folder, { length: children }] of Map.groupBy(paths, folderOf)) {
        await decrement(handle, vault, folder, { notes: kind === 'note' ? children : 0, children });
      }
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
    async makeFolder(handle, vault, resolved) {
      if (resolved.blocked !== null) return { ok: false, owner: resolved.blocked.owner };
      const { path, pathKey } = resolved;
      const parent = await increment(clock, handle, vault, resolved, { notes: 0, children: 1 });
      if (parent === undefined) return { ok: false, owner: null };
      const id = clock.uuid() as FolderId;
      const made = await insertFolder(clock, handle, vault, id, { parent, path, pathKey, explicit: true });
      return made ? { ok: true, folder: id } : { ok: false, owner: await ownerOf(handle, vault, path) };
    },
    async removeFolders(handle, vault, roots, below) {
      const deletedIds = new Set(below.map(({ id }) => id));
      await handle.runMany(deleteEntries, { vault: vault.id }, [...deletedIds]);
      const outermost = roots.filter(({ parentId }) => parentId === null || !deletedIds.has(parentId));
      for (const [parent, left] of Map.groupBy(outermost, ({ path }) => folderOf(path))) {
        await decrement(handle, vault, parent, { notes: 0, children: new Set(left.map(({ id }) => id)).size });
      }
    },
    async allFolders(handle, vault) {
      const yieldIfDue = createYield();
      const entries: FolderEntry[] = [];
      for (const row of await handle.all(store.findFolders, { vault: vault.id })) {
        await yieldIfDue();
        entries.push(folderEntry(vault, row));
      }
      return entries;
    },
    async folderAt(handle, vault, path) {
      const row = await handle.get(store.findFolderAt, { vault: vault.id, pathKey: pathKeyOf(vault, path) });
      return row === undefined ? null : folderEntry(vault, row);
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
    async setExplicit(handle, vault, folder, explicit) {
      const { id, path } = folder;
      const row = await handle.get(store.setExplicit, { vault: vault.id, id, explicit: explicit ? 1 : 0 });
      if (row === undefined || explicit || row.children > 0) return;
      await handle.runMany(deleteEntries, { vault: vault.id }, [id]);
      await decrement(handle, vault, folderOf(path), { notes: 0, children: 1 });
    },
  };
}
