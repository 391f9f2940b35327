import { Mentions, MentionsQuery } from '@notevault/protocol/mentions.ts';
import { IdParams } from '@notevault/protocol/values/schemas.ts';
import { idParam } from '../../../http/params.ts';
import { type Route, route } from '../../../http/route.ts';
import type { Search } from '../search.ts';

export function mentionsRoutes(search: Search): Route[] {
  return [
    route({
      method: 'GET',
      path: '/notes/by-id/:id/mentions',
      operation: 'listMentions',
      summary: 'List places where other notes have the title or an alias of a note without a link',
      compresses: true,
      params: IdParams,
      query: MentionsQuery,
      responses: { 200: Mentions },
      errors: ['invalid_id', 'note_not_found', 'note_unreadable', 'invalid_cursor'],
      handle: async ({ principal, vault, params, query }) => ({
        body: await search.mentions(principal, vault, idParam(params.id), query),
      }),
    }),
  ];
}
