import type { Seq } from '@notevault/protocol/values/ids.ts';
import type { ReadHandle, WriteHandle } from '../../../../ports/database/database.ts';
import type { OpenVault } from '../../vaults/vaults.ts';
import type { EntryDeps, LockedDeps, TombstoneDraft, WriteContext } from '../entries.deps.ts';
import { ITEM_KINDS, type StoredEntry } from '../entries.store.ts';
import { runLocked } from '../locked.ts';
import { foldersBelow, leave, removeFolders } from '../namespace/namespace.ts';
import type { FolderEntry } from '../namespace/path-lookup.ts';
import { RevisionConflict, retryOnConflict, TrashFull } from '../revision-conflict.ts';
import { entryRows } from '../rows.ts';
import { contentsOf, excessOf, limitsOf } from '../trash/limits.ts';

export interface DeleteRequest<Result> {
  /** Finds the live entries to delete, or throws to refuse it. Called again if something has changed meanwhile. */
  find(handle: ReadHandle): Promise<StoredEntry[]>;
  /** Returns the result, inside the transaction, from the number of entries that existed. */
  answer(deleted: number): Result;
  /** Whether to throw TrashFull rather than let the trash drop anything. */
  readonly mustFit?: boolean;
}

/** Turns live entries into tombstones, in one transaction. Throws the errors of `find`, and for damaged entries. */
export async function deleteItems<Result>(
  deps: EntryDeps,
  context: WriteContext<Result>,
  request: DeleteRequest<Result>,
) {
  const { db, vaults, hooks } = deps;
  const { vault } = context;
  const result = await retryOnConflict(async () => {
    const rows = await request.find(db);
    const drafts = await prepareTombstones(deps, context, rows);
    return db.transact(async (handle) => {
      if (drafts.length > 0) {
        const first = await vaults.advance(handle, vault, { seqs: drafts.length, notes: 0 });
        await writeTombstones(deps, handle, context, drafts, first);
        for (const kind of ITEM_KINDS) {
          const paths = drafts.filter(({ old }) => old.kind === kind).map(({ path }) => path);
          await leave(handle, vault, paths, kind);
        }
        if (request.mustFit) await checkFits(deps, handle, vault);
      }
      const result = request.answer(drafts.length);
      await context.inTransaction?.(handle, result);
      return result;
    }, priorityOf(drafts));
  });
  await hooks.linksResolved(vault);
  return result;
}

/** Deletes folders with their contents, in one transaction. Throws `note_unreadable`, `attachment_unreadable`. */
export function deleteFolders<Result>(
  deps: LockedDeps,
  context: WriteContext<Result>,
  find: () => Promise<FolderEntry[]>,
  result: Result,
): Promise<Result> {
  return runLocked(deps, context.vault, () => retryOnConflict(() => deleteFoldersOnce(deps, context, find, result)));
}

async function deleteFoldersOnce<Result>(
  deps: EntryDeps,
  context: WriteContext<Result>,
  find: () => Promise<FolderEntry[]>,
  result: Result,
): Promise<Result> {
  const { db, vaults } = deps;
  const { vault } = context;
  const before = await vaults.currentSeq(db, vault);
  const roots = await find();
  const folders = await foldersBelow(db, vault, roots);
  const inside = [...new Set(folders.map(({ id }) => id))];
  const rows: StoredEntry[] = [];
  for (const kind of ITEM_KINDS) rows.push(...(await entryRows.rowsIn(db, vault.id, kind, inside)));
  const drafts = await prepareTombstones(deps, context, rows);
  return db.transact(async (handle) => {
    if (roots.length > 0) {
      // Takes at least one seq, so that clients reload the tree even when only empty folders were deleted.
      const first = await vaults.advance(handle, vault, { seqs: Math.max(1, drafts.length), notes: 0 });
      if (first !== before + 1) throw new RevisionConflict();
      await writeTombstones(deps, handle, context, drafts, first, folders);
      await removeFolders(handle, vault, roots, folders);
    }
    await context.inTransaction?.(handle, result);
    return result;
  }, priorityOf(drafts));
}

/** A deletion of more entries runs as a bulk transaction, in slices. */
const SHORT_MAX = 50;
/** Rows written between two yields: during a long transaction, others run only between its calls. */
const SLICE = 256;

/** Seals the tombstones before the transaction, notes first. Throws the errors of KindHandler.prepareTombstones. */
async function prepareTombstones(
  { handlerOf }: EntryDeps,
  context: Pick<WriteContext, 'vault' | 'actor' | 'device'>,
  rows: readonly StoredEntry[],
): Promise<TombstoneDraft[]> {
  const drafts: TombstoneDraft[] = [];
  for (const kind of ITEM_KINDS) {
    const own = rows.filter((row) => row.kind === kind);
    if (own.length > 0) drafts.push(...(await handlerOf(kind).prepareTombstones(context, own)));
  }
  return drafts;
}

function priorityOf(drafts: readonly TombstoneDraft[]) {
  return drafts.length > SHORT_MAX ? 'bulk' : 'normal';
}

/**
 * Replaces rows by their prepared tombstones, under the vault's lock; the caller updates the folder counts. Throws
 * RevisionConflict when an entry has changed. @param first the seq of the first tombstone.
 */
async function writeTombstones(
  { clock, vaults, handlerOf, activity }: EntryDeps,
  handle: WriteHandle,
  { vault, actor, origin }: Pick<WriteContext, 'vault' | 'actor' | 'origin'>,
  drafts: readonly TombstoneDraft[],
  first: Seq,
  folders: readonly FolderEntry[] = [],
): Promise<void> {
  const now = clock.now();
  const changes = [
    ...drafts.map(({ old: { id, kind }, path }) => ({ op: 'delete' as const, kind, id, path })),
    ...folders.filter(({ explicit }) => explicit).map(({ id, path }) => deletedFolder(id, path)),
  ];
  const overwrite = async () => {
    for (let at = 0; at < drafts.length; at += SLICE) {
      const rows = drafts.slice(at, at + SLICE).map(({ old, meta }, index) => ({
        ...old,
        seq: first + at + index,
        revision: old.revision + 1,
        meta,
        updated_at: now,
        deleted_at: now,
      }));
      if (!(await entryRows.overwrite(handle, vault.id, rows))) throw new RevisionConflict();
    }
  };
  const writes = changes.length === 0 ? [] : [{ action: 'delete' as const, origin, actor, changes }];
  await Promise.all([overwrite(), activity.append(handle, vault, writes)]);
  if (drafts.length === 0) return;
  const trash = contentsOf(drafts.map(({ old }) => old));
  // Updated only now that the entries are known to have existed; otherwise the vault's count could become negative.
  await vaults.advance(handle, vault, {
    seqs: 0,
    notes: -trash.notes,
    attachments: -(drafts.length - trash.notes),
    attachmentBytes: -trash.attachmentBytes,
    trash,
  });
  for (const [kind, own] of Map.groupBy(drafts, ({ old }) => old.kind))
    await handlerOf(kind).deleted(handle, vault, own);
}

export function deletedFolder(id: string, path: string) {
  return { op: 'delete', kind: 'folder', id, path } as const;
}

/** Throws TrashFull when the trash has more than its limits, under the vault's lock. */
async function checkFits(deps: EntryDeps, handle: WriteHandle, vault: OpenVault): Promise<void> {
  if (excessOf(await deps.vaults.trashOf(handle, vault.id), limitsOf(deps, vault)).length > 0) throw new TrashFull();
}
