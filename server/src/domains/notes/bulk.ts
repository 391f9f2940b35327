import { itemIds } from '@notevault/protocol/batch-ids.ts';
import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { NoteId } from '@notevault/protocol/ids.ts';
import type { Appended, AppendNote, BatchResult } from '@notevault/protocol/notes.ts';
import type { WriteContext } from '../entries/entries.ts';
import { appendTo } from './append.ts';
import { upsertBatch } from './batch.ts';
import { notePathOf } from './note-mapper.ts';
import type { NoteDeps } from './notes.deps.ts';

/** Writes that are no plain upsert. */
export interface BatchOperations {
  /**
   * Upserts up to a hundred notes in one transaction, each standing alone. Throws `invalid_notes`, `too_many_notes`, and
   * for the whole batch `limit_exceeded`.
   */
  upsertMany(context: WriteContext<BatchResult[]>, notes: unknown): Promise<BatchResult[]>;
  /** Adds a text to the end of a note, or begins one. Throws `note_too_large`, `conflict`, `limit_exceeded`, `note_unreadable`. */
  append(context: WriteContext<Appended>, input: AppendNote): Promise<Appended>;
  /** Deletes notes, all or none; resolves to how many. Throws the errors of batch requests, `note_unreadable`. */
  deleteMany(context: WriteContext<number>, ids: unknown): Promise<number>;
}

export function createBatchOperations(deps: NoteDeps): BatchOperations {
  const { entries } = deps;
  const { lock } = entries;
  return {
    upsertMany: async (context, notes) => upsertBatch(deps, context, notes),
    async append(context, input) {
      const path = notePathOf(input.path);
      const pathKey = entries.pathKey(context.vault, path);
      const key = pathKey.toString('hex');
      return lock.run(context.vault.id, key, () => appendTo(deps, context, { path, pathKey }, input.text));
    },
    async deleteMany(context, sent) {
      const ids = itemIds(sent) as NoteId[];
      const { vault } = context;
      return lock.runAll(vault.id, ids, () =>
        entries.delete(context, {
          asked: ids.length,
          async find(handle) {
            const rows = await entries.rowsById(handle, vault.id, 'note', ids);
            const rowOf = new Map(rows.map((row) => [row.id, row]));
            return ids.map((id) => {
              const row = rowOf.get(id);
              if (row === undefined) throw new NotevaultError('item_not_found', { item_id: id });
              return row;
            });
          },
          answer: (deleted) => deleted,
        }),
      );
    },
  };
}
