import type { FolderId } from '@notevault/protocol/values/ids.ts';
import type { Clock } from '../../../ports/clock/clock.ts';
import type { ReadHandle, WriteHandle } from '../../../ports/database/database.ts';
import type { OpenVault } from '../../vaults/vaults.ts';
import type { EntryKind } from '../entries.tables.ts';
import { enter, leave, type MakeResult, makeFolder, removeFolders, setExplicit } from './folder-changes.ts';
import type { Increment } from './folder-counts.ts';
import {
  allFolders,
  folderAt,
  folderById,
  foldersBelow,
  ownerOf,
  type TargetInput,
  targetPath,
} from './folder-lookup.ts';
import {
  type FolderEntry,
  type KeyedPath,
  type PathOwner,
  pathKeyOf,
  type ResolvedPath,
  resolvePath,
  resolvePaths,
} from './path-lookup.ts';
import { type MovePlan, relocate } from './relocate.ts';

export type { TargetInput } from './folder-lookup.ts';
export type { FolderEntry, PathOwner, ResolvedPath } from './path-lookup.ts';
export type { KeyedMovedPath, MovedPath, MovePlan } from './relocate.ts';

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
  /** Like `resolve`, for several paths with few statements; in the order of the paths. */
  resolveAll(handle: ReadHandle, vault: OpenVault, paths: readonly KeyedPath[]): Promise<ResolvedPath[]>;
  /**
   * Adds entries to the counts of their folders and creates missing folders, before the entries' rows are inserted; that
   * insert fails when a path is taken. Its statements are sent at once, so the rows may be inserted without waiting.
   */
  enter(handle: WriteHandle, vault: OpenVault, places: readonly ResolvedPath[], kind: EntryKind): Increment;
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
  /** Creates an explicit folder. */
  makeFolder(handle: WriteHandle, vault: OpenVault, resolved: ResolvedPath): Promise<MakeResult>;
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

/** Binds the functions of this folder to the clock that gives new folders their ids and times. */
export function createNamespace(clock: Clock): Namespace {
  return {
    pathKey: pathKeyOf,
    ownerOf,
    folderPath: async (handle, vault, id) => (await folderById(handle, vault, id))?.path ?? null,
    resolve: resolvePath,
    resolveAll: resolvePaths,
    enter: (handle, vault, places, kind) => enter(clock, handle, vault, places, kind),
    leave,
    relocate: (handle, vault, move) => relocate(clock, handle, vault, move),
    allFolders,
    folderById,
    folderAt,
    foldersBelow,
    targetPath,
    makeFolder: (handle, vault, resolved) => makeFolder(clock, handle, vault, resolved),
    removeFolders,
    setExplicit,
  };
}
