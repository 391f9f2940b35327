import { Appended, AppendNote, BatchBody, BatchResponse, DeleteNotes } from '@notevault/protocol/notes.ts';
import { DeletedCount } from '@notevault/protocol/values/schemas.ts';
import { answerBytes } from '../../../../http/answers/answer-bytes.ts';
import { writeContextOf } from '../../../../http/request-context.ts';
import { idempotentRoute, type Route } from '../../../../http/route.ts';
import type { Notes } from '../../notes.ts';

export function batchRoutes(notes: Notes): Route[] {
  return [
    idempotentRoute({
      path: '/notes/batch',
      operation: 'upsertNotes',
      summary: 'Upsert up to 100 notes, each independently of the others',
      answerBytes: answerBytes.write,
      body: BatchBody,
      responses: { 200: BatchResponse },
      errors: ['invalid_notes', 'too_many_notes', 'limit_exceeded'],
      perform: (request, inTransaction) =>
        notes.upsertMany(writeContextOf(request, inTransaction), request.body?.notes),
      reply: (results) => ({ body: { results } }),
    }),
    idempotentRoute({
      path: '/notes/append',
      operation: 'appendToNote',
      summary: 'Append text to a note, or create the note',
      body: AppendNote,
      responses: { 200: Appended },
      errors: ['conflict', 'note_too_large', 'limit_exceeded', 'note_unreadable'],
      flagsConflicts: true,
      perform: (request, inTransaction) => notes.append(writeContextOf(request, inTransaction), request.body),
      reply: (appended) => ({ body: appended }),
    }),
    idempotentRoute({
      path: '/notes/batch-delete',
      operation: 'deleteNotes',
      summary: 'Delete several notes, all or none',
      body: DeleteNotes,
      responses: { 200: DeletedCount },
      errors: [
        'missing_ids',
        'invalid_ids',
        'too_many_items',
        'item_not_found',
        'note_unreadable',
        'version_conflict',
        'validation',
      ],
      perform: (request, inTransaction) => {
        const { ids, base_hashes } = request.body ?? {};
        return notes.deleteMany(writeContextOf(request, inTransaction), ids, base_hashes);
      },
      reply: (deleted) => ({ body: { deleted } }),
    }),
  ];
}
