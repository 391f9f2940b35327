import type { NoteId } from '@notevault/protocol/ids.ts';
import { itemIds } from '@notevault/protocol/items.ts';
import { appendTo } from './append.ts';
import { upsertBatch } from './batch.ts';
import { deleteNotes } from './delete.ts';
import type { Appended, AppendNote, BatchResult } from './notes.schema.ts';
import type { NoteParts, Writing } from './parts.ts';
import type { Turns } from './turns.ts';
import { notePathOf } from './view.ts';

/** Writes that are no plain upsert. */
export interface Bulk {
  /**
   * Upserts up to a hundred notes in one transaction, each standing alone. Throws `invalid_notes`, `too_many_notes`, and
   * for the whole batch `limit_exceeded`.
   */
  upsertMany(writing: Writing<BatchResult[]>, notes: unknown): Promise<BatchResult[]>;
  /** Adds a text to the end of a note, or begins one. Throws `note_too_large`, `conflict`, `limit_exceeded`, `note_unreadable`. */
  append(writing: Writing<Appended>, input: AppendNote): Promise<Appended>;
  /** Deletes notes, all or none; resolves to how many. Throws contract section 8's errors, `note_unreadable`. */
  deleteMany(writing: Writing<number>, ids: unknown): Promise<number>;
}

export function createBulk(parts: NoteParts, turns: Turns): Bulk {
  return {
    upsertMany: async (writing, notes) => upsertBatch(parts, turns, writing, notes),
    async append(writing, input) {
      const path = notePathOf(input.path);
      const pathKey = parts.tree.pathKey(writing.vault, path);
      const key = pathKey.toString('hex');
      return turns.take(writing.vault.id, key, () => appendTo(parts, writing, { path, pathKey }, input.text));
    },
    async deleteMany(writing, sent) {
      const ids = itemIds(sent) as NoteId[];
      return turns.takeAll(writing.vault.id, ids, () => deleteNotes(parts, writing, ids));
    },
  };
}
