import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { NoteId, Seq } from '@notevault/protocol/ids.ts';
import type { FolderEntry } from '../tree/tree.ts';
import { Stale } from './commit.ts';
import { nameKeysOf } from './delete.ts';
import { sealed } from './meta.ts';
import * as store from './notes.store.ts';
import type { NoteParts, Writing } from './parts.ts';

const ROUNDS_MAX = 20;
/** Deletions of more notes than this take the writer for themselves, in slices. */
const SHORT_MAX = 50;

/** Turns every note in and below the folders into a tombstone and lets the folders go, in one transaction. */
export async function deleteFolders<Result>(
  parts: NoteParts,
  writing: Writing<Result>,
  find: () => Promise<FolderEntry[]>,
  answer: () => Result,
): Promise<Result> {
  for (let round = 1; ; round++) {
    try {
      return await deleteOnce(parts, writing, find, answer);
    } catch (error) {
      if (!(error instanceof Stale)) throw error;
      if (round === ROUNDS_MAX) throw new NotevaultError('unavailable', {}, error);
    }
  }
}

async function deleteOnce<Result>(
  { db, tree, vaults, clock, hooks }: NoteParts,
  writing: Writing<Result>,
  find: () => Promise<FolderEntry[]>,
  answer: () => Result,
): Promise<Result> {
  const { vault, device } = writing;
  const before = await vaults.currentSeq(db, vault);
  const tops = await find();
  const folders = await tree.foldersBelow(db, vault, tops);
  const rows = await db.allIn(store.findRowsIn, { vault: vault.id }, [...new Set(folders.map(({ id }) => id))]);
  const notes = rows.map((row) => ({ row, meta: sealed.openMeta(vault, row.id, row.stamp, row.meta) }));
  return db.transact(
    async (handle) => {
      // At least one seq, so that clients look at the tree again when only empty folders went.
      const seqs = Math.max(1, notes.length);
      const first = await vaults.advance(handle, vault, { seqs, notes: 0 });
      if (first !== before + 1) throw new Stale();
      // Not before it is sure that they are all there still: the vault would count less than none.
      await vaults.advance(handle, vault, { seqs: 0, notes: -notes.length });
      const now = clock.now();
      for (const [index, { row, meta }] of notes.entries()) {
        const id = row.id as NoteId;
        const stamp = row.stamp + 1;
        const tombstone = sealed.meta(vault, id, stamp, { ...meta, deletedBy: device });
        const seq = (first + index) as Seq;
        await handle.run(store.buryNote, { vault: vault.id, id, was: row.stamp, stamp, seq, now, meta: tombstone });
        await handle.run(store.deleteAliases, { vault: vault.id, id });
      }
      await tree.removeFolders(
        handle,
        vault,
        tops,
        folders,
        notes.map(({ meta }) => meta.path),
      );
      for (const [index, { row, meta }] of notes.entries()) {
        const note = { id: row.id as NoteId, seq: (first + index) as Seq, movedKeys: nameKeysOf(vault, meta) };
        await hooks.deleted(handle, vault, note);
      }
      const result = answer();
      await writing.finish?.(handle, result);
      return result;
    },
    notes.length > SHORT_MAX ? 'long' : 'short',
  );
}
