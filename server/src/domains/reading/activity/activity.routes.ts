import * as schema from '@notevault/protocol/activity.ts';
import { IdParams } from '@notevault/protocol/values/schemas.ts';
import { answerBytes } from '../../../http/answers/answer-bytes.ts';
import { actorOf } from '../../../http/request-context.ts';
import { type Route, route } from '../../../http/route.ts';
import type { Activity } from './activity.ts';

export function activityRoutes(activity: Activity): Route[] {
  return [
    route({
      method: 'GET',
      path: '/vault/activity',
      operation: 'listActivity',
      summary: 'List who did what in the vault during the last 90 days, newest first',
      compresses: true,
      answerBytes: answerBytes.note,
      query: schema.ActivityQuery,
      responses: { 200: schema.ActivityPage },
      errors: ['invalid_cursor', 'activity_unreadable'],
      handle: async ({ vault, query }) => ({ body: await activity.list(vault, query) }),
    }),
    route({
      method: 'GET',
      path: '/vault/activity/:id',
      operation: 'getActivity',
      summary: 'Get an activity with its changes and their differences',
      compresses: true,
      answerBytes: answerBytes.note,
      params: IdParams,
      responses: { 200: schema.ActivityItem },
      errors: ['activity_not_found', 'activity_unreadable'],
      handle: async ({ vault, params }) => ({ body: await activity.read(vault, params.id) }),
    }),
    route({
      method: 'POST',
      path: '/vault/activity/:id/undo',
      operation: 'undoActivity',
      summary: 'Undo an activity and keep what others changed since, or answer what that would change',
      answerBytes: answerBytes.write,
      params: IdParams,
      body: schema.UndoActivity,
      responses: { 200: schema.ActivityUndone },
      errors: ['activity_not_found', 'not_undoable', 'owner_required', 'limit_exceeded', 'activity_unreadable'],
      handle: async (request) => {
        const { vault, device, params, body } = request;
        return {
          body: await activity.undo({ vault, device, actor: actorOf(request) }, params.id, body?.dry_run),
        };
      },
    }),
  ];
}
