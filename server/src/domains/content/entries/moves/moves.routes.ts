import { RenamedMany, RenameMany } from '@notevault/protocol/rename-many.ts';
import { writeContextOf } from '../../../../http/request-context.ts';
import { idempotentRoute, type Route } from '../../../../http/route.ts';
import type { Entries } from '../entries.ts';

export function movesRoutes(entries: Pick<Entries, 'renameMany'>): Route[] {
  return [
    idempotentRoute({
      path: '/vault/rename-many',
      operation: 'renameMany',
      summary: 'Rename notes and attachments, all or none, and update links; names may be swapped or go in circles',
      body: RenameMany,
      responses: { 200: RenamedMany },
      errors: [
        ...(['too_many_items', 'item_not_found', 'conflict', 'extension_not_allowed', 'limit_exceeded'] as const),
        ...(['note_unreadable', 'attachment_unreadable'] as const),
      ],
      perform: (request, inTransaction) => entries.renameMany(writeContextOf(request, inTransaction), request.body),
      reply: (renamed) => ({ body: renamed }),
    }),
  ];
}
