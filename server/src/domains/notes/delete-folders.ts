import type { Seq } from '@notevault/protocol/ids.ts';
import type { FolderEntry } from '../tree/tree.ts';
import { paceOf, prepareBurials, whileStale, writeBurials } from './bury.ts';
import { Stale } from './commit.ts';
import * as store from './notes.store.ts';
import type { NoteParts, Writing } from './parts.ts';

/**
 * Turns every note and attachment in and below the folders into a tombstone and lets the folders go, in one transaction.
 * Throws `note_unreadable`, `attachment_unreadable` when one of them is damaged: then all of it stays.
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
  const { db, tree, vaults, files } = parts;
  const { vault } = writing;
  const before = await vaults.currentSeq(db, vault);
  const tops = await find();
  const folders = await tree.foldersBelow(db, vault, tops);
  const inside = [...new Set(folders.map(({ id }) => id))];
  const rows = await db.allIn(store.findRowsIn, { vault: vault.id }, inside);
  const burials = await prepareBurials(parts, writing, rows);
  const held = await files.find(db, vault, { ids: [], folders: inside });
  const buried = files.prepareBurial(vault, held);
  return db.transact(
    async (handle) => {
      if (tops.length > 0) {
        // At least one seq, so that clients look at the tree again when only empty folders went.
        const seqs = Math.max(1, burials.length + buried.count);
        const first = await vaults.advance(handle, vault, { seqs, notes: 0 });
        if (first !== before + 1) throw new Stale();
        await writeBurials(parts, handle, vault, burials, first);
        const next = (first + burials.length) as Seq;
        if (!(await files.writeBurial(handle, vault, buried, next))) throw new Stale();
        const paths = [...burials, ...held].map(({ path }) => path);
        await tree.removeFolders(handle, vault, tops, folders, paths);
      }
      const result = answer();
      await writing.finish?.(handle, result);
      return result;
    },
    await paceOf(parts, vault, burials, buried.count),
  );
}
