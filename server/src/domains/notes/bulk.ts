import { itemIds } from '@notevault/protocol/batch-ids.ts';
import type { NoteId } from '@notevault/protocol/ids.ts';
import type { Appended, AppendNote, BatchResult } from '@notevault/protocol/notes.ts';
import type { KeyedLock } from '../../concurrency/keyed-lock.ts';
import { appendTo } from './append.ts';
import { upsertBatch } from './batch.ts';
import { deleteNotes } from './delete.ts';
import { notePathOf } from './note-mapper.ts';
import type { NoteDeps } from './notes.deps.ts';
import type { WriteContext } from './write-context.ts';

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

export function createBatchOperations(deps: NoteDeps, lock: KeyedLock): BatchOperations {
  return {
    upsertMany: async (context, notes) => upsertBatch(deps, lock, context, notes),
    async append(context, input) {
      const path = notePathOf(input.path);
      const pathKey = deps.namespace.pathKey(context.vault, path);
      const key = pathKey.toString('hex');
      return lock.run(context.vault.id, key, () => appendTo(deps, context, { path, pathKey }, input.text));
    },
    async deleteMany(context, sent) {
      const ids = itemIds(sent) as NoteId[];
      return lock.runAll(context.vault.id, ids, () => deleteNotes(deps, context, ids));
    },
  };
}
