import type { Seq } from '@notevault/protocol/ids.ts';
import type { FolderEntry } from '../namespace/namespace.ts';
import { RevisionConflict } from './commit.ts';
import type { NoteDeps } from './notes.deps.ts';
import * as store from './notes.store.ts';
import { prepareTombstones, priorityOf, retryOnConflict, writeTombstones } from './tombstone.ts';
import type { WriteContext } from './write-context.ts';

/**
 * Turns every note and attachment in and below the folders into a tombstone and lets the folders go, in one transaction.
 * Throws `note_unreadable`, `attachment_unreadable` when one of them is damaged: then all of it stays.
 */
export function deleteFolders<Result>(
  deps: NoteDeps,
  context: WriteContext<Result>,
  find: () => Promise<FolderEntry[]>,
  answer: () => Result,
): Promise<Result> {
  return retryOnConflict(() => deleteOnce(deps, context, find, answer));
}

async function deleteOnce<Result>(
  deps: NoteDeps,
  context: WriteContext<Result>,
  find: () => Promise<FolderEntry[]>,
  answer: () => Result,
): Promise<Result> {
  const { db, namespace, vaults, files } = deps;
  const { vault } = context;
  const before = await vaults.currentSeq(db, vault);
  const roots = await find();
  const folders = await namespace.foldersBelow(db, vault, roots);
  const inside = [...new Set(folders.map(({ id }) => id))];
  const rows = await db.allMany(store.findRowsIn, { vault: vault.id }, inside);
  const pending = await prepareTombstones(deps, context, rows);
  const attached = await files.find(db, vault, { ids: [], folders: inside });
  const tombstoned = files.prepareTombstones(vault, attached);
  return db.transact(
    async (handle) => {
      if (roots.length > 0) {
        // At least one seq, so that clients look at the tree again when only empty folders went.
        const seqs = Math.max(1, pending.length + tombstoned.count);
        const first = await vaults.advance(handle, vault, { seqs, notes: 0 });
        if (first !== before + 1) throw new RevisionConflict();
        await writeTombstones(deps, handle, vault, pending, first);
        const next = (first + pending.length) as Seq;
        if (!(await files.writeTombstones(handle, vault, tombstoned, next))) throw new RevisionConflict();
        const paths = [...pending, ...attached].map(({ path }) => path);
        await namespace.removeFolders(handle, vault, roots, folders, paths);
      }
      const result = answer();
      await context.inTransaction?.(handle, result);
      return result;
    },
    await priorityOf(deps, vault, pending, tombstoned.count),
  );
}
