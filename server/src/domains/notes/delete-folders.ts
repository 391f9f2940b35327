import type { FolderEntry } from '../tree/tree.ts';
import { paceOf, prepareBurials, whileStale, writeBurials } from './bury.ts';
import { Stale } from './commit.ts';
import * as store from './notes.store.ts';
import type { NoteParts, Writing } from './parts.ts';

/**
 * Turns every note in and below the folders into a tombstone and lets the folders go, in one transaction. Throws
 * `note_unreadable` when one of the notes is damaged: then all of it stays.
 */
export function deleteFolders<Result>(
  parts: NoteParts,
  writing: Writing<Result>,
  find: () => Promise<FolderEntry[]>,
  answer: () => Result,
): Promise<Result> {
  return whileStale(() => deleteOnce(parts, writing, find, answer));
}

async function deleteOnce<Result>(
  parts: NoteParts,
  writing: Writing<Result>,
  find: () => Promise<FolderEntry[]>,
  answer: () => Result,
): Promise<Result> {
  const { db, tree, vaults } = parts;
  const { vault } = writing;
  const before = await vaults.currentSeq(db, vault);
  const tops = await find();
  const folders = await tree.foldersBelow(db, vault, tops);
  const rows = await db.allIn(store.findRowsIn, { vault: vault.id }, [...new Set(folders.map(({ id }) => id))]);
  const burials = await prepareBurials(parts, writing, rows);
  return db.transact(async (handle) => {
    if (tops.length > 0) {
      // At least one seq, so that clients look at the tree again when only empty folders went.
      const seqs = Math.max(1, burials.length);
      const first = await vaults.advance(handle, vault, { seqs, notes: 0 });
      if (first !== before + 1) throw new Stale();
      await writeBurials(parts, handle, vault, burials, first);
      const paths = burials.map(({ path }) => path);
      await tree.removeFolders(handle, vault, tops, folders, paths);
    }
    const result = answer();
    await writing.finish?.(handle, result);
    return result;
  }, paceOf(burials));
}
