import type { ReadHandle } from '../../../ports/database/database.ts';
import type { EntryDeps, LockedDeps } from '../entries.deps.ts';
import { ITEM_KINDS, type StoredEntry } from '../entries.store.ts';
import type { FolderEntry, Namespace } from '../namespace/namespace.ts';
import { RevisionConflict, retryOnConflict } from '../revision-conflict.ts';
import { entryRows } from '../rows.ts';
import type { WriteContext } from '../write-context.ts';
import { prepareTombstones, priorityOf, writeTombstones } from './tombstones.ts';

/** What to delete, and what to answer. */
export interface DeleteRequest<Result> {
  /** The live entries to delete, of those asked for; throws to refuse. Asked again when something changed meanwhile. */
  find(handle: ReadHandle): Promise<StoredEntry[]>;
  /** How many were asked for: where fewer are found, the others must be gone for good. */
  readonly asked: number;
  /** Makes the answer inside the transaction, from how many were there. */
  answer(deleted: number): Result;
}

export interface DeleteOperations {
  /** Turns live entries into tombstones, in one transaction. Throws what `find` throws, and for damaged ones. */
  delete<Result>(context: WriteContext<Result>, request: DeleteRequest<Result>): Promise<Result>;
  /**
   * Turns every note and attachment in and below some folders into a tombstone and lets the folders go, in one transaction.
   * Throws `note_unreadable`, `attachment_unreadable` when one of them is damaged: then all of it stays.
   */
  deleteFolders<Result>(
    context: WriteContext<Result>,
    find: () => Promise<FolderEntry[]>,
    answer: () => Result,
  ): Promise<Result>;
}

export function createDeleteOperations(deps: LockedDeps, namespace: Namespace): DeleteOperations {
  return {
    delete: (context, request) => retryOnConflict(() => deleteOnce(deps, namespace, context, request)),
    deleteFolders: (context, find, answer) =>
      deps.lock.runExclusive(context.vault.id, () =>
        retryOnConflict(() => deleteFoldersOnce(deps, namespace, context, find, answer)),
      ),
  };
}

async function deleteOnce<Result>(
  deps: EntryDeps,
  namespace: Namespace,
  context: WriteContext<Result>,
  request: DeleteRequest<Result>,
): Promise<Result> {
  const { db, vaults } = deps;
  const { vault } = context;
  const rows = await request.find(db);
  const drafts = await prepareTombstones(deps, context, rows);
  return db.transact(
    async (handle) => {
      if (drafts.length > 0) {
        const first = await vaults.advance(handle, vault, { seqs: drafts.length, notes: 0 });
        await writeTombstones(deps, handle, vault, drafts, first);
        for (const kind of ITEM_KINDS) {
          const paths = drafts.filter(({ old }) => old.kind === kind).map(({ path }) => path);
          await namespace.leave(handle, vault, paths, kind);
        }
      }
      // Whoever took the others away may not be on disk yet: this transaction waits for that, and looks again.
      if (rows.length < request.asked && (await request.find(handle)).length > 0) throw new RevisionConflict();
      const result = request.answer(drafts.length);
      await context.inTransaction?.(handle, result);
      return result;
    },
    await priorityOf(deps, vault, drafts),
  );
}

async function deleteFoldersOnce<Result>(
  deps: EntryDeps,
  namespace: Namespace,
  context: WriteContext<Result>,
  find: () => Promise<FolderEntry[]>,
  answer: () => Result,
): Promise<Result> {
  const { db, vaults } = deps;
  const { vault } = context;
  const before = await vaults.currentSeq(db, vault);
  const roots = await find();
  const folders = await namespace.foldersBelow(db, vault, roots);
  const inside = [...new Set(folders.map(({ id }) => id))];
  const rows: StoredEntry[] = [];
  for (const kind of ITEM_KINDS) rows.push(...(await entryRows.rowsIn(db, vault.id, kind, inside)));
  const drafts = await prepareTombstones(deps, context, rows);
  return db.transact(
    async (handle) => {
      if (roots.length > 0) {
        // At least one seq, so that clients look at the tree again when only empty folders went.
        const first = await vaults.advance(handle, vault, { seqs: Math.max(1, drafts.length), notes: 0 });
        if (first !== before + 1) throw new RevisionConflict();
        if (drafts.length > 0) await writeTombstones(deps, handle, vault, drafts, first);
        await namespace.removeFolders(handle, vault, roots, folders);
      }
      const result = answer();
      await context.inTransaction?.(handle, result);
      return result;
    },
    await priorityOf(deps, vault, drafts),
  );
}
