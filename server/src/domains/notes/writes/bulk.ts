import type { Appended, AppendNote, BatchResult } from '@notevault/protocol/notes.ts';
import type { WriteContext } from '../../entries/entries.ts';
import { deleteMany } from '../deletion/delete-notes.ts';
import type { NoteDeps } from '../notes.deps.ts';
import { notePathOf } from '../notes.mapper.ts';
import { appendTo } from './append.ts';
import { upsertBatch } from './batch/batch.ts';

/** Writes other than a single upsert. */
export interface BatchOperations {
  /**
   * Upserts up to a hundred notes in one transaction, each independently of the others. Throws `invalid_notes`,
   * `too_many_notes`, and for the whole batch `limit_exceeded`.
   */
  upsertMany(context: WriteContext<BatchResult[]>, notes: unknown): Promise<BatchResult[]>;
  /**
   * Appends a text to a note, or creates the note. Throws `note_too_large`, `conflict`, `limit_exceeded`,
   * `note_unreadable`.
   */
  append(context: WriteContext<Appended>, input: AppendNote): Promise<Appended>;
  /**
   * Deletes notes, all or none; resolves to their number. Throws the errors of batch requests, `note_unreadable`, and
   * `version_conflict` for a note whose content hash differs from that in `baseHashes` (by id).
   */
  deleteMany(context: WriteContext<number>, ids: unknown, baseHashes?: unknown): Promise<number>;
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
    deleteMany: async (context, sent, baseHashes) => deleteMany(deps, context, sent, baseHashes),
  };
}
