import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { NoteId, Seq } from '@notevault/protocol/ids.ts';
import type { ReadHandle, WriteHandle } from '../../ports/database/database.ts';
import { RevisionConflict } from './commit.ts';
import type { NoteDeps } from './notes.deps.ts';
import * as store from './notes.store.ts';
import { type PendingTombstone, prepareTombstones, priorityOf, retryOnConflict, writeTombstones } from './tombstone.ts';
import type { WriteContext } from './write-context.ts';

/**
 * Turns the live note found into a tombstone; false when there is none. Throws `note_unreadable` when any part of the
 * note is damaged, which then stays as it is.
 */
export function deleteNote(
  deps: NoteDeps,
  context: WriteContext,
  find: (handle: ReadHandle) => Promise<store.StoredRow | undefined>,
): Promise<boolean> {
  const { db } = deps;
  return retryOnConflict(async () => {
    const row = await find(db);
    if (row === undefined) {
      // A transaction, so that the answer waits for the one that took the note away to be on disk.
      return db.transact(async (handle) => {
        if ((await find(handle)) !== undefined) throw new RevisionConflict();
        return false;
      });
    }
    const pending = await prepareTombstones(deps, context, [row]);
    return db.transact(
      async (handle) => {
        await writeAll(deps, handle, context, pending);
        return true;
      },
      await priorityOf(deps, context.vault, pending),
    );
  });
}

/** Turns all of these notes into tombstones or, when one is not there, none. Throws `item_not_found`. */
export function deleteNotes(deps: NoteDeps, context: WriteContext<number>, ids: readonly NoteId[]): Promise<number> {
  const { db } = deps;
  return retryOnConflict(async () => {
    const rows = await db.allMany(store.findRows, { vault: context.vault.id }, ids);
    const rowOf = new Map(rows.map((row) => [row.id, row]));
    const named = ids.map((id) => {
      const row = rowOf.get(id);
      if (row === undefined) throw new NotevaultError('item_not_found', { item_id: id });
      return row;
    });
    const pending = await prepareTombstones(deps, context, named);
    return db.transact(
      async (handle) => {
        await writeAll(deps, handle, context, pending);
        await context.inTransaction?.(handle, ids.length);
        return ids.length;
      },
      await priorityOf(deps, context.vault, pending),
    );
  });
}

async function writeAll(
  deps: NoteDeps,
  handle: WriteHandle,
  { vault }: Pick<WriteContext, 'vault'>,
  pending: readonly PendingTombstone[],
): Promise<void> {
  const first: Seq = await deps.vaults.advance(handle, vault, { seqs: pending.length, notes: 0 });
  await writeTombstones(deps, handle, vault, pending, first);
  for (const { id, path } of pending) await deps.namespace.release(handle, vault, path, 'note', id);
}
