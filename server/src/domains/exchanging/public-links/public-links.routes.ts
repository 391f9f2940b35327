import * as schema from '@notevault/protocol/public-links.ts';
import { IdParams } from '@notevault/protocol/values/schemas.ts';
import { type Route, route } from '../../../http/route.ts';
import type { PublicLinks } from './public-links.ts';

export function publicLinksRoutes(links: PublicLinks): Route[] {
  return [...ownerRoutes(links), ...adminLinkRoutes(links)];
}

function ownerRoutes(links: PublicLinks): Route[] {
  return [
    route({
      method: 'POST',
      path: '/vault/links',
      operation: 'createPublicLink',
      summary:
        'Make a page of a note or a folder that anyone with its address may read; the address is in this answer only',
      body: schema.NewPublicLink,
      responses: { 201: schema.PublicLinkMade },
      errors: ['public_links_off', 'note_not_found', 'folder_not_found', 'too_many_public_links'],
      handle: async ({ principal, vault, body }) => ({
        headers: { 'cache-control': 'no-store' },
        body: await links.create(principal, vault, body),
      }),
    }),
    route({
      method: 'GET',
      path: '/vault/links',
      operation: 'listPublicLinks',
      summary: 'The public links of a vault, with their last use',
      responses: { 200: schema.PublicLinksResponse },
      handle: async ({ vault }) => ({ body: { links: await links.list(vault) } }),
    }),
    route({
      method: 'DELETE',
      path: '/vault/links/:id',
      operation: 'deletePublicLink',
      summary: 'End a public link at once',
      params: IdParams,
      responses: { 204: null },
      errors: ['public_link_not_found'],
      handle: ({ vault, params }) => links.end(vault, params.id),
    }),
  ];
}

function adminLinkRoutes(links: PublicLinks): Route[] {
  return [
    route({
      method: 'GET',
      path: '/admin/users/:id/links',
      operation: 'adminCountPublicLinks',
      summary: 'How many public links the vaults of an account have',
      params: IdParams,
      responses: { 200: schema.PublicLinkCount },
      handle: async ({ params }) => ({ body: { count: await links.countOf(params.id) } }),
    }),
    route({
      method: 'DELETE',
      path: '/admin/users/:id/links',
      operation: 'adminEndPublicLinks',
      summary: 'End the public links of all vaults of an account',
      params: IdParams,
      responses: { 200: schema.PublicLinkCount },
      handle: async ({ params }) => ({ body: { count: await links.endAllOf(params.id) } }),
    }),
  ];
}
