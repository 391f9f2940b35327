import type { VaultId } from '@notevault/protocol/values/ids.ts';
import { KeyedLock } from '../../../concurrency/keyed-lock.ts';
import type { WriteHandle } from '../../../ports/database/database.ts';
import { type DeleteRequest, deleteItems } from './deletion/delete.ts';
import { createTombstoneExpiry } from './deletion/tombstone-expiry.ts';
import type { EntryDeps, WriteContext } from './entries.deps.ts';
import * as store from './entries.store.ts';
import { createFolders } from './folders/folders.ts';
import { type MoveRequest, moveMany, moveOne } from './moves/move.ts';
import { renameMany } from './moves/rename-many.ts';
import { conflictWithOwner, enter, folderAt, foldersBelow, ownerOf, targetPath } from './namespace/namespace.ts';
import { pathKeyOf, resolvePath, resolvePaths } from './namespace/path-lookup.ts';
import { firstBytes, SLICE_ROWS } from './row-slices.ts';
import { entryChangeFeed, entryRows } from './rows.ts';
import { createTrash } from './trash/trash.ts';

export type { Actor } from '../activity-log/activity-log.ts';
export type { DeleteRequest } from './deletion/delete.ts';
export type { ExpiredTombstone } from './deletion/tombstone-expiry.store.ts';
export type {
  EntryHooks,
  KindHandler,
  MoveBatch,
  MovingEntry,
  PurgedEntry,
  TombstoneDraft,
  TrashedMeta,
  WriteContext,
} from './entries.deps.ts';
export type { FeedEntry, StoredEntry } from './entries.store.ts';
export type { ItemKind } from './entries.tables.ts';
export type { Folders } from './folders/folders.ts';
export type { MoveRequest, MoveRoot } from './moves/move.ts';
export type { MoveTarget, TargetInput } from './namespace/namespace.ts';
export type { FolderEntry, PathOwner, ResolvedPath } from './namespace/path-lookup.ts';
export type { TrashLimits } from './trash/limits.ts';
export type { Trash } from './trash/trash.ts';

export type Entries = ReturnType<typeof createEntries>;

/**
 * The operations common to notes, attachments and folders of a vault: one tree of paths, one change feed, tombstones
 * and their expiry, moves and deletions. A KindHandler adds what is specific to a kind.
 */
export function createEntries(given: EntryDeps) {
  /** A lock per vault for writers of this process, which avoids retries; other processes do not take it. */
  const lock = new KeyedLock();
  const deps = { ...given, lock };
  return {
    pathKey: pathKeyOf,
    ownerOf,
    folderAt,
    foldersBelow,
    targetPath,
    resolve: resolvePath,
    resolveAll: resolvePaths,
    enter: enter.bind(null, deps.clock),
    ...entryRows,
    ...entryChangeFeed,
    moveMany: moveMany.bind(null, deps),
    renameMany: renameMany.bind(null, deps),
    moveOne: <Result>(context: WriteContext<Result>, to: string, request: MoveRequest<Result>) =>
      moveOne(deps, context, to, request),
    delete: <Result>(context: WriteContext<Result>, request: DeleteRequest<Result>) =>
      deleteItems(deps, context, request),
    ...createTombstoneExpiry(deps),
    folders: createFolders(deps),
    trash: createTrash(deps),
    lock,
    conflictWith: conflictWithOwner.bind(null, deps),
    purgeSlice: purgeSlice.bind(null, deps),
  };
}

/** Deletes a slice of a purged vault's entries and spent ids; returns true when more may be left. */
async function purgeSlice({ handlerOf }: EntryDeps, handle: WriteHandle, vault: VaultId): Promise<boolean> {
  const rows = await handle.all(store.findSomeEntries, { vault, limit: SLICE_ROWS });
  const slice = firstBytes(rows, (row) => (row.kind === 'folder' ? 0 : handlerOf(row.kind).storedBytes(row)));
  const ids = slice.map(({ id }) => id);
  await handle.runMany(store.deleteEntries, { vault_id: vault }, ids);
  return rows.length > 0 || (await handle.run(store.purgeSpentIds, { vault_id: vault, limit: SLICE_ROWS })) > 0;
}
