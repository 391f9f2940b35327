import { LinkMention, MentionLinked } from '@notevault/protocol/mentions.ts';
import { TaskToggled, ToggleTask } from '@notevault/protocol/tasks.ts';
import { IdParams } from '@notevault/protocol/values/schemas.ts';
import { idParam } from '../../../http/params.ts';
import { writeContextOf } from '../../../http/request-context.ts';
import { idempotentRoute, type Route } from '../../../http/route.ts';
import type { Notes } from '../notes.ts';

/** Writes that change a place of a text. */
export function textEditsRoutes(notes: Notes): Route[] {
  return [
    idempotentRoute({
      path: '/vault/tasks/toggle',
      operation: 'toggleTask',
      summary: 'Tick a task, or untick it, if its line still reads as it was read',
      body: ToggleTask,
      responses: { 200: TaskToggled },
      errors: ['invalid_id', 'note_not_found', 'text_changed', 'note_too_large', 'note_unreadable'],
      perform: (request, inTransaction) => {
        const { note_id: id, ...task } = request.body;
        return notes.toggleTask(writeContextOf(request, inTransaction), idParam(id), task);
      },
      reply: (toggled) => ({ body: toggled }),
    }),
    idempotentRoute({
      path: '/notes/by-id/:id/mentions/link',
      operation: 'linkMention',
      summary: 'Make a link of a place where another note mentions this one, if it still reads as it was read',
      params: IdParams,
      body: LinkMention,
      responses: { 200: MentionLinked },
      errors: ['invalid_id', 'note_not_found', 'text_changed', 'note_too_large', 'note_unreadable'],
      perform: (request, inTransaction) => {
        const { note_id: source, ...mention } = request.body;
        const context = writeContextOf(request, inTransaction);
        return notes.linkMention(context, idParam(request.params.id), idParam(source), mention);
      },
      reply: (linked) => ({ body: linked }),
    }),
  ];
}
