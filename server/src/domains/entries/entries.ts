import type { NotevaultError } from '@notevault/protocol/errors.ts';
import type { VaultId } from '@notevault/protocol/values/ids.ts';
import { KeyedLock } from '../../concurrency/keyed-lock.ts';
import type { WriteHandle } from '../../ports/database/database.ts';
import type { OpenVault } from '../vaults/vaults.ts';
import { createDeleteOperations, type DeleteOperations } from './deletion/delete.ts';
import { createTombstoneExpiry, type TombstoneExpiry } from './deletion/tombstone-expiry.ts';
import type { EntryDeps } from './entries.deps.ts';
import * as store from './entries.store.ts';
import { Folders } from './folders/folders.ts';
import { createMoveOperations, type MoveOperations } from './moves/move.ts';
import { createNamespace, type Namespace, type PathOwner } from './namespace/namespace.ts';
import { conflictAtPath, conflictWithOwner } from './path-conflict.ts';
import { firstBytes, SLICE_ROWS } from './row-slices.ts';
import { type EntryChangeFeed, type EntryRows, entryChangeFeed, entryRows } from './rows.ts';
import { createTrash, type Trash } from './trash/trash.ts';

export type { DeleteRequest } from './deletion/delete.ts';
export type { ExpiredTombstone } from './deletion/tombstone-expiry.ts';
export type {
  Actor,
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
export type { FolderEntry, PathOwner, ResolvedPath, TargetInput } from './namespace/namespace.ts';
export type { TrashLimits } from './trash/limits.ts';
export type { Trash } from './trash/trash.ts';

/**
 * The operations common to notes, attachments and folders of a vault: one tree of paths, one change feed, tombstones
 * and their expiry, moves and deletions. A KindHandler adds what is specific to a kind.
 */
export interface Entries
  extends Namespace,
    EntryRows,
    EntryChangeFeed,
    MoveOperations,
    DeleteOperations,
    TombstoneExpiry {
  readonly folders: Folders;
  readonly trash: Trash;
  /**
   * A lock per vault for writers of this process: it avoids retries. Correctness must not depend on it, because other
   * processes do not take it.
   */
  readonly lock: KeyedLock;
  /** Returns the error for a path that another entry has: its path, and the note itself if it is one. */
  conflictWith(vault: OpenVault, owner: PathOwner, path: string): Promise<NotevaultError>;
  /** Like conflictWith, for whatever entry has the path or stands where the path needs a folder. */
  conflictAt(vault: OpenVault, path: string): Promise<NotevaultError>;
  /** Deletes a slice of a purged vault's entries; returns true when more may be left. */
  purgeSlice(handle: WriteHandle, vaultId: VaultId): Promise<boolean>;
}

export function createEntries(given: EntryDeps): Entries {
  const lock = new KeyedLock();
  const deps = { ...given, lock };
  const namespace = createNamespace(deps.clock);
  const moves = createMoveOperations(deps, namespace);
  const deletes = createDeleteOperations(deps, namespace);
  return {
    ...namespace,
    ...entryRows,
    ...entryChangeFeed,
    ...moves,
    ...deletes,
    ...createTombstoneExpiry(deps),
    folders: new Folders(deps, namespace, moves, deletes),
    trash: createTrash(deps),
    lock,
    conflictWith: (vault, owner, path) => conflictWithOwner(deps, namespace, vault, owner, path),
    conflictAt: (vault, path) => conflictAtPath(deps, namespace, vault, path),
    purgeSlice: (handle, vaultId) => purgeSlice(deps, handle, vaultId),
  };
}

/** Deletes a slice of a purged vault's entries and spent ids; returns true when more may be left. */
async function purgeSlice({ handlerOf }: EntryDeps, handle: WriteHandle, vault: VaultId): Promise<boolean> {
  const rows = await handle.all(store.findSomeEntries, { vault, limit: SLICE_ROWS });
  const slice = firstBytes(rows, (row) => (row.kind === 'folder' ? 0 : handlerOf(row.kind).storedBytes(row)));
  await handle.runMany(
    store.deleteEntries,
    { vault },
    slice.map(({ id }) => id),
  );
  if (rows.length > 0) return true;
  const spent = await handle.all(store.findSomeSpentIds, { vault, limit: SLICE_ROWS });
  await handle.runMany(
    store.purgeSpentIds,
    { vault },
    spent.map(({ id }) => id),
  );
  return spent.length > 0;
}
