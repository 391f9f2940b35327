import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { NoteId, Seq } from '@notevault/protocol/ids.ts';
import type { ReadHandle, WriteHandle } from '../../engines/database/database.ts';
import { type Burial, paceOf, prepareBurials, whileStale, writeBurials } from './bury.ts';
import { Stale } from './commit.ts';
import * as store from './notes.store.ts';
import type { NoteParts, Writing } from './parts.ts';

/**
 * Turns the live note found into a tombstone; false when there is none. Throws `note_unreadable` when any part of the
 * note is damaged, which then stays as it is.
 */
export function deleteNote(
  parts: NoteParts,
  writing: Writing,
  find: (handle: ReadHandle) => Promise<store.StoredRow | undefined>,
): Promise<boolean> {
  const { db } = parts;
  return whileStale(async () => {
    const row = await find(db);
    if (row === undefined) {
      // A transaction, so that the answer waits for the one that took the note away to be on disk.
      return db.transact(async (handle) => {
        if ((await find(handle)) !== undefined) throw new Stale();
        return false;
      });
    }
    const burials = await prepareBurials(parts, writing, [row]);
    return db.transact(
      async (handle) => {
        await bury(parts, handle, writing, burials);
        return true;
      },
      await paceOf(parts, writing.vault, burials),
    );
  });
}

/** Turns all of these notes into tombstones or, when one is not there, none. Throws `item_not_found`. */
export function deleteNotes(parts: NoteParts, writing: Writing<number>, ids: readonly NoteId[]): Promise<number> {
  const { db } = parts;
  return whileStale(async () => {
    const rows = await db.allIn(store.findRows, { vault: writing.vault.id }, ids);
    const rowOf = new Map(rows.map((row) => [row.id, row]));
    const named = ids.map((id) => {
      const row = rowOf.get(id);
      if (row === undefined) throw new NotevaultError('item_not_found', { item_id: id });
      return row;
    });
    const burials = await prepareBurials(parts, writing, named);
    return db.transact(
      async (handle) => {
        await bury(parts, handle, writing, burials);
        await writing.finish?.(handle, ids.length);
        return ids.length;
      },
      await paceOf(parts, writing.vault, burials),
    );
  });
}

async function bury(
  parts: NoteParts,
  handle: WriteHandle,
  { vault }: Pick<Writing, 'vault'>,
  burials: readonly Burial[],
): Promise<void> {
  const first: Seq = await parts.vaults.advance(handle, vault, { seqs: burials.length, notes: 0 });
  await writeBurials(parts, handle, vault, burials, first);
  for (const { id, path } of burials) await parts.tree.release(handle, vault, path, 'note', id);
}
