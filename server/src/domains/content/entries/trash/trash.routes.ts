import { RestoreFromTrash, TRASH_PAGE, TrashPage, TrashQuery, TrashRestored } from '@notevault/protocol/trash.ts';
import { Deleted, IdParams } from '@notevault/protocol/values/schemas.ts';
import { answerBytes } from '../../../../http/answers/answer-bytes.ts';
import { idParam, limitParam } from '../../../../http/params.ts';
import { actorOf, writeContextOf } from '../../../../http/request-context.ts';
import { idempotentRoute, type Route, route } from '../../../../http/route.ts';
import type { Trash } from './trash.ts';

const UNREADABLE = ['note_unreadable', 'attachment_unreadable'] as const;

export function trashRoutes(trash: Trash): Route[] {
  return [
    route({
      method: 'GET',
      path: '/trash',
      operation: 'listTrash',
      summary: 'List deleted notes and attachments that can be restored, what was deleted last first',
      compresses: true,
      answerBytes: answerBytes.note,
      query: TrashQuery,
      responses: { 200: TrashPage },
      errors: ['invalid_cursor', ...UNREADABLE],
      handle: async ({ vault, query }) => ({
        body: await trash.list(vault, query, limitParam(query.limit, TRASH_PAGE, TRASH_PAGE)),
      }),
    }),
    idempotentRoute({
      path: '/trash/:id/restore',
      operation: 'restoreFromTrash',
      summary: 'Restore a deleted note or attachment with its id, where it was or at another path',
      answerBytes: answerBytes.write,
      params: IdParams,
      body: RestoreFromTrash,
      responses: { 200: TrashRestored },
      errors: [
        ...(['invalid_id', 'trash_not_found', 'conflict', 'limit_exceeded', 'extension_not_allowed'] as const),
        'file_too_large',
        ...UNREADABLE,
      ],
      perform: (request, inTransaction) =>
        trash.restore(writeContextOf(request, inTransaction), idParam(request.params.id), request.body?.path),
      reply: (restored) => ({ body: restored }),
    }),
    route({
      method: 'DELETE',
      path: '/trash/:id',
      operation: 'deleteFromTrash',
      summary: 'Delete a note or attachment in the trash for good',
      params: IdParams,
      responses: { 200: Deleted },
      errors: ['invalid_id', 'trash_not_found'],
      handle: async (request) => {
        const { vault, device, params } = request;
        await trash.purge({ vault, device, actor: actorOf(request) }, idParam(params.id));
        return { body: { deleted: true } };
      },
    }),
  ];
}
