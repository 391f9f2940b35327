import { BacklinksQuery, BacklinksResponse } from '@notevault/protocol/links.ts';
import { IdParams, isSet } from '@notevault/protocol/values/schemas.ts';
import { idParam } from '../../../http/params.ts';
import { type Route, route } from '../../../http/route.ts';
import type { Links } from './links.ts';

export function linksRoutes(links: Links): Route[] {
  return [
    route({
      method: 'GET',
      path: '/notes/by-id/:id/backlinks',
      operation: 'listBacklinks',
      summary: 'List the notes that link to a note, oldest link first, at most 200',
      compresses: true,
      revalidates: 'vault',
      params: IdParams,
      query: BacklinksQuery,
      responses: { 200: BacklinksResponse },
      errors: ['invalid_id', 'note_not_found'],
      handle: async ({ vault, params, query }) => {
        return { body: { backlinks: await links.backlinksOf(vault, idParam(params.id), isSet(query.context)) } };
      },
    }),
  ];
}
