import { fileName, joinPath } from '@notevault/note-text/paths.ts';
import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { Folder, FolderRenamed } from '@notevault/protocol/folders.ts';
import type { MovedCount } from '@notevault/protocol/links.ts';
import { itemIds } from '@notevault/protocol/values/batch-ids.ts';
import { type FolderId, parseUuid } from '@notevault/protocol/values/ids.ts';
import type { RenameBody } from '@notevault/protocol/values/schemas.ts';
import type { ReadHandle, WriteHandle } from '../../../../ports/database/database.ts';
import type { OpenVault } from '../../vaults/vaults.ts';
import { deletedFolder, deleteFolders } from '../deletion/delete.ts';
import type { EntryDeps, LockedDeps, WriteContext } from '../entries.deps.ts';
import { type MoveRoot, moveMany, moveOne } from '../moves/move.ts';
import {
  allFolders,
  conflictWithOwner,
  folderAt,
  folderById,
  type MoveTarget,
  makeFolder,
  PathTaken,
  setExplicit,
  targetPath,
} from '../namespace/namespace.ts';
import { type FolderEntry, pathKeyOf, type ResolvedPath, resolvePath } from '../namespace/path-lookup.ts';
import { folderPathFrom } from '../request-paths.ts';
import { retryOnConflict } from '../revision-conflict.ts';
import { entryRows } from '../rows.ts';

export type Folders = ReturnType<typeof createFolders>;

/** Explicit folders, and folders that exist because they contain something. */
export function createFolders(deps: LockedDeps) {
  const { db } = deps;
  return {
    /** Returns every folder and the root (`""`), ordered by path. */
    list: (vault: OpenVault) => db.read((handle) => listAt(handle, vault)),
    listAt,
    /** Returns the folder at a path, explicit or not; null when there is none. */
    at: (vault: OpenVault, path: string) => folderAt(db, vault, path),
    /** Returns the folder with an id, explicit or not; null when there is none. */
    entry: (vault: OpenVault, id: string) => folderById(db, vault, id),
    /** Returns an explicit folder by id. Throws `bad_folder_id`, `folder_id_not_found`. */
    async byId(vault: OpenVault, sent: string): Promise<FolderEntry> {
      const id = parseUuid(sent);
      if (id === null) throw new NotevaultError('bad_folder_id');
      const entry = await folderById(db, vault, id);
      if (entry === null || !entry.explicit) throw new NotevaultError('folder_id_not_found');
      return entry;
    },
    /**
     * Creates the folder and its ancestors, or returns the existing one. Throws `folder_empty`, `conflict`.
     * @param former the id of a deleted folder, which the new one gets unless it is in use.
     */
    async create(context: WriteContext<Folder>, sent: unknown, former?: FolderId): Promise<Folder> {
      const path = typeof sent === 'string' ? folderPathFrom(sent, 'folder') : '';
      if (path === '') throw new NotevaultError('folder_empty');
      return createFolder(deps, context, path, former);
    },
    remove: remove.bind(null, deps),
    rename: rename.bind(null, deps),
    moveMany: moveFolders.bind(null, deps),
    /** Deletes folders with their contents, all or none; resolves to the number requested. */
    async deleteMany(context: WriteContext<number>, sent: unknown): Promise<number> {
      const ids = itemIds(sent);
      return deleteFolders(deps, context, () => explicitFolders(deps, context.vault, ids), ids.length);
    },
  };
}

async function listAt(handle: ReadHandle, vault: OpenVault): Promise<Folder[]> {
  const entries = await allFolders(handle, vault);
  const count = await entryRows.countAtRoot(handle, vault.id, 'note');
  const explicit = new Set<string>(entries.filter((entry) => entry.explicit).map(({ id }) => id));
  const folders = entries.map((entry) => toFolder(entry, (id) => explicit.has(id)));
  // The root has no entry of its own.
  const root: Folder = { name: '', id: null, parent_id: null, count };
  return [root, ...folders].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/**
 * Makes the folder no longer explicit, which deletes it if it is empty; with `recursive`, deletes it with its contents. A
 * path without a folder is not an error. Throws `folder_empty`.
 */
async function remove(deps: LockedDeps, context: WriteContext<void>, path: string, recursive: boolean): Promise<void> {
  const { db, vaults, activity } = deps;
  const { vault, inTransaction, actor, origin } = context;
  if (path === '') throw new NotevaultError('folder_empty');
  if (recursive) {
    const find = async () => [await folderAt(db, vault, path)].filter((entry) => entry !== null);
    return deleteFolders<void>(deps, context, find, undefined);
  }
  await db.transact(async (handle) => {
    await vaults.advance(handle, vault, { seqs: 0, notes: 0 });
    const entry = await folderAt(handle, vault, path);
    if (entry?.explicit) {
      await vaults.advance(handle, vault, { seqs: 1, notes: 0 });
      const changes = [deletedFolder(entry.id, entry.path)];
      await Promise.all([
        setExplicit(handle, vault, entry, false),
        activity.append(handle, vault, [{ action: 'delete', origin, actor, changes }]),
      ]);
    }
    await inTransaction?.(handle, undefined);
  });
}

/** Throws `folder_not_found`, `conflict`, `cycle`. */
async function rename(
  deps: LockedDeps,
  context: WriteContext<FolderRenamed>,
  sent: RenameBody,
): Promise<FolderRenamed> {
  const dryRun = sent.dry_run === true;
  const [from, to] = [folderPathFrom(sent.old_path, 'old_path'), folderPathFrom(sent.new_path, 'new_path')];
  if (from === '') throw new NotevaultError('folder_not_found');
  if (to === '') throw new NotevaultError('conflict');
  const find = async (): Promise<MoveRoot[]> => {
    const entry = await folderAt(deps.db, context.vault, from);
    if (entry === null) throw new NotevaultError('folder_not_found');
    return [{ kind: 'folder', id: entry.id, from: entry.path, to }];
  };
  return moveOne(deps, context, to, {
    find,
    field: 'new_path',
    dryRun,
    answer: (_handle, { named: [folder], notes: count, attachments, left }) => ({
      renamed: !dryRun,
      ...left,
      old_path: folder?.from ?? from,
      new_path: folder?.to ?? to,
      count,
      attachments,
    }),
  });
}

/** Moves all or none, with their contents; counts those requested. Throws the errors of batch requests. */
async function moveFolders(deps: LockedDeps, context: WriteContext<MovedCount>, sent: unknown, target: MoveTarget) {
  const { vault } = context;
  const ids = itemIds(sent);
  const find = async (): Promise<MoveRoot[]> => {
    const folder = await targetPath(deps.db, vault, target, 'target_parent');
    return (await explicitFolders(deps, vault, ids)).map(({ id, path }) => ({
      kind: 'folder',
      id,
      from: path,
      to: joinPath(folder, fileName(path)),
    }));
  };
  return moveMany(deps, context, { find, field: 'target_parent', dryRun: target.dryRun === true }, () => ids.length);
}

/** Returns explicit folders by id, in the same order. Throws `item_not_found`. */
async function explicitFolders({ db }: EntryDeps, vault: OpenVault, ids: readonly string[]): Promise<FolderEntry[]> {
  const entries = await Promise.all(ids.map((id) => folderById(db, vault, id)));
  return entries.map((entry, index) => {
    if (entry === null || !entry.explicit) throw new NotevaultError('item_not_found', { item_id: ids[index] });
    return entry;
  });
}

function createFolder(
  deps: EntryDeps,
  context: WriteContext<Folder>,
  path: string,
  former: FolderId | undefined,
): Promise<Folder> {
  const { db } = deps;
  const { vault } = context;
  return retryOnConflict(async () => {
    const resolved = await resolvePath(db, vault, path, pathKeyOf(vault, path));
    const { blocked } = resolved;
    if (blocked !== null) throw await conflictWithOwner(deps, vault, blocked.owner, blocked.path);
    return db
      .transact((handle) => createOnce(deps, handle, context, resolved, former))
      .catch(async (error) => {
        throw error instanceof PathTaken ? await conflictWithOwner(deps, vault, error.owner, path) : error;
      });
  });
}

async function createOnce(
  { vaults, clock, activity }: EntryDeps,
  handle: WriteHandle,
  { vault, inTransaction, actor, origin }: WriteContext<Folder>,
  resolved: ResolvedPath,
  former: FolderId | undefined,
): Promise<Folder> {
  const { path } = resolved;
  await vaults.advance(handle, vault, { seqs: 0, notes: 0 });
  const existing = await folderAt(handle, vault, path);
  // An existing explicit folder is no change: no client has to reload.
  if (!existing?.explicit) await vaults.advance(handle, vault, { seqs: 1, notes: 0 });
  if (existing?.explicit === false) await setExplicit(handle, vault, existing, true);
  else if (existing === null) {
    const isFree = former !== undefined && (await folderById(handle, vault, former)) === null;
    await makeFolder(clock, handle, vault, resolved, isFree ? former : undefined);
  }
  const entry = await folderAt(handle, vault, path);
  if (entry === null) throw new Error('a folder vanished in the transaction that made it');
  const changes = [{ op: 'create' as const, kind: 'folder' as const, id: entry.id, path: entry.path }];
  const [parent] = await Promise.all([
    entry.parentId === null ? null : folderById(handle, vault, entry.parentId),
    existing?.explicit ? null : activity.append(handle, vault, [{ action: 'write', origin, actor, changes }]),
  ]);
  const folder = toFolder(entry, () => parent?.explicit === true);
  await inTransaction?.(handle, folder);
  return folder;
}

/** Maps a folder to the wire; only an explicit one has an id. @param isExplicit called with the parent's id. */
function toFolder(entry: FolderEntry, isExplicit: (id: string) => boolean): Folder {
  const { parentId } = entry;
  return {
    name: entry.path,
    id: entry.explicit ? entry.id : null,
    parent_id: parentId !== null && isExplicit(parentId) ? parentId : null,
    count: entry.notes,
  };
}
