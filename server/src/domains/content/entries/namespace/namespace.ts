import { ancestorsOf, folderOf } from '@notevault/note-text/paths.ts';
import { NotevaultError } from '@notevault/protocol/errors.ts';
import { type FolderId, parseUuid } from '@notevault/protocol/values/ids.ts';
import { createYield } from '../../../../concurrency/yield.ts';
import type { Clock } from '../../../../ports/clock/clock.ts';
import type { ReadHandle, WriteHandle } from '../../../../ports/database/database.ts';
import type { OpenVault } from '../../vaults/vaults.ts';
import type { EntryDeps } from '../entries.deps.ts';
import { deleteEntries } from '../entries.store.ts';
import type { EntryKind } from '../entries.tables.ts';
import { folderPathFrom } from '../request-paths.ts';
import { RevisionConflict } from '../revision-conflict.ts';
import { decrement, type Increment, increment, insertFolder } from './folder-counts.ts';
import * as store from './folders.store.ts';
import { type FolderEntry, folderEntry, type PathOwner, pathKeyOf, type ResolvedPath } from './path-lookup.ts';

/*
 * The namespace of a vault: notes, attachments and folders have unique paths, compared without case. Folders are created
 * and deleted with their contents.
 */

/** The target of a batch as sent: a folder's id (or `root`), or a folder's path (empty: the root). */
export interface TargetInput {
  readonly id?: unknown;
  readonly path?: unknown;
}

export interface MoveTarget extends TargetInput {
  readonly dryRun?: boolean | null | undefined;
}

export async function ownerOf(handle: ReadHandle, vault: OpenVault, path: string): Promise<PathOwner | null> {
  return (await handle.get(store.findOwner, { vault: vault.id, pathKey: pathKeyOf(vault, path) })) ?? null;
}

export async function folderById(handle: ReadHandle, vault: OpenVault, id: string): Promise<FolderEntry | null> {
  const [row] = await handle.allMany(store.findFoldersById, { vault: vault.id }, [id]);
  return row === undefined ? null : folderEntry(vault, row);
}

export async function folderAt(handle: ReadHandle, vault: OpenVault, path: string): Promise<FolderEntry | null> {
  const row = await handle.get(store.findFolderAt, { vault: vault.id, pathKey: pathKeyOf(vault, path) });
  return row === undefined ? null : folderEntry(vault, row);
}

export async function allFolders(handle: ReadHandle, vault: OpenVault): Promise<FolderEntry[]> {
  const yieldIfDue = createYield();
  const entries: FolderEntry[] = [];
  for (const row of await handle.all(store.findFolders, { vault: vault.id })) {
    await yieldIfDue();
    entries.push(folderEntry(vault, row));
  }
  return entries;
}

export async function foldersBelow(handle: ReadHandle, vault: OpenVault, roots: readonly FolderEntry[]) {
  const found = [...roots];
  for (let layer = roots.map(({ id }) => id); layer.length > 0; ) {
    const rows = await handle.allMany(store.findFoldersIn, { vault: vault.id }, layer);
    found.push(...rows.map((row) => folderEntry(vault, row)));
    layer = rows.map(({ id }) => id as FolderId);
  }
  return found;
}

/**
 * Returns the path of a batch's target folder, which need not exist yet. Throws `missing_target`, `item_not_found`
 * for an id of no explicit folder, a validation error on `field` for a path.
 */
export async function targetPath(handle: ReadHandle, vault: OpenVault, sent: TargetInput, field: string) {
  const given = [sent.id, sent.path].filter((value) => value !== undefined && value !== null);
  const [value] = given;
  if (given.length !== 1 || typeof value !== 'string') throw new NotevaultError('missing_target');
  if (value === sent.path) return folderPathFrom(value, field);
  if (value === 'root') return '';
  const id = parseUuid(value);
  const folder = id === null ? null : await folderById(handle, vault, id);
  if (!folder?.explicit) throw new NotevaultError('item_not_found', { item_id: value });
  return folder.path;
}

/**
 * Adds entries to the counts of their folders and creates missing folders, before the entries' rows are inserted; that
 * insert fails when a path is taken. Its statements are sent at once, so the rows may be inserted without waiting.
 */
export function enter(
  clock: Clock,
  handle: WriteHandle,
  vault: OpenVault,
  places: readonly ResolvedPath[],
  kind: EntryKind,
): Increment {
  return increment(clock, handle, vault, places, () => ({ notes: kind === 'note' ? 1 : 0, children: 1 }));
}

/** Subtracts deleted entries from the counts of their folders; deletes empty folders that are not explicit. */
export async function leave(handle: WriteHandle, vault: OpenVault, paths: readonly string[], kind: EntryKind) {
  for (const [folder, { length: children }] of Map.groupBy(paths, folderOf)) {
    await decrement(handle, vault, folder, { notes: kind === 'note' ? children : 0, children });
  }
}

/** The path of a new folder was taken since it was resolved. */
export class PathTaken extends Error {
  readonly owner: PathOwner;
  constructor(owner: PathOwner) {
    super('the folder cannot be made');
    this.owner = owner;
  }
}

/** Creates an explicit folder. Throws PathTaken; RevisionConflict when the folders above it have changed. */
export async function makeFolder(
  clock: Clock,
  handle: WriteHandle,
  vault: OpenVault,
  resolved: ResolvedPath,
  id = clock.uuid() as FolderId,
) {
  const { path, pathKey } = resolved;
  const {
    folders: [parent = null],
    counted,
  } = increment(clock, handle, vault, [resolved], () => ({ notes: 0, children: 1 }));
  if (!(await counted)) throw new RevisionConflict();
  if (await insertFolder(clock, handle, vault, id, { parent, path, pathKey, explicit: true })) return;
  const owner = await ownerOf(handle, vault, path);
  throw owner === null ? new RevisionConflict() : new PathTaken(owner);
}

/** Deletes folders: `below` are these and the nested ones, all without other contents. */
export async function removeFolders(
  handle: WriteHandle,
  vault: OpenVault,
  roots: readonly FolderEntry[],
  below: readonly FolderEntry[],
): Promise<void> {
  const deletedIds = new Set(below.map(({ id }) => id));
  await handle.runMany(deleteEntries, { vault_id: vault.id }, [...deletedIds]);
  const outermost = roots.filter(({ parentId }) => parentId === null || !deletedIds.has(parentId));
  for (const [parent, left] of Map.groupBy(outermost, ({ path }) => folderOf(path))) {
    await decrement(handle, vault, parent, { notes: 0, children: new Set(left.map(({ id }) => id)).size });
  }
}

export async function setExplicit(handle: WriteHandle, vault: OpenVault, folder: FolderEntry, explicit: boolean) {
  const { id, path } = folder;
  const row = await handle.get(store.setExplicit, { vault: vault.id, id, explicit: explicit ? 1 : 0 });
  if (row === undefined || explicit || row.children > 0) return;
  await handle.runMany(deleteEntries, { vault_id: vault.id }, [id]);
  await decrement(handle, vault, folderOf(path), { notes: 0, children: 1 });
}

type Deps = Pick<EntryDeps, 'db' | 'handlerOf'>;

/** Returns the error for a path (or id) that another entry has: its path and the details of its kind. */
export async function conflictWithOwner(
  { db, handlerOf }: Deps,
  vault: OpenVault,
  { kind, id }: PathOwner,
  path: string,
): Promise<NotevaultError> {
  if (kind === 'folder') {
    const folder = await folderById(db, vault, id);
    return new NotevaultError('conflict', { server_path: folder?.path ?? path });
  }
  const details = await handlerOf(kind).conflictDetails(vault, id);
  return new NotevaultError('conflict', details ?? { server_path: path });
}

/** Returns the error for a path that is taken, with the entry that has it or is where the path needs a folder. */
export async function conflictAtPath(deps: Deps, vault: OpenVault, path: string): Promise<NotevaultError> {
  for (const at of [path, ...ancestorsOf(path)]) {
    const owner = await ownerOf(deps.db, vault, at);
    if (owner !== null && (at === path || owner.kind !== 'folder')) {
      return conflictWithOwner(deps, vault, owner, at);
    }
  }
  return new NotevaultError('conflict');
}
