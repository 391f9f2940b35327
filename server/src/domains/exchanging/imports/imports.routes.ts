import * as schema from '@notevault/protocol/imports.ts';
import { IdParams } from '@notevault/protocol/values/schemas.ts';
import { type Route, route } from '../../../http/route.ts';
import type { Imports } from './imports.ts';

export function importsRoutes(imports: Imports): Route[] {
  return [
    route({
      method: 'POST',
      path: '/imports',
      operation: 'startImport',
      summary: 'Import a zip of markdown or a Joplin export into a vault, in the background; one at a time',
      query: schema.ImportQuery,
      takes: { mediaType: 'application/octet-stream', schema: schema.ImportBytes },
      responses: { 202: schema.ImportStarted },
      errors: ['vault_header_not_found', 'insufficient_access', 'import_in_progress', 'body_too_large', 'validation'],
      handle: async ({ principal, query, stream }) => ({ body: { id: await imports.start(principal, query, stream) } }),
    }),
    route({
      method: 'GET',
      path: '/imports',
      operation: 'listImports',
      summary: 'The import of the account, if there is one of the last day',
      responses: { 200: schema.Imports },
      handle: async ({ principal }) => ({ body: { imports: await imports.list(principal) } }),
    }),
    route({
      method: 'GET',
      path: '/imports/:id',
      operation: 'getImport',
      summary: 'How far an import is, and what it did',
      params: IdParams,
      responses: { 200: schema.Import },
      errors: ['import_not_found'],
      handle: async ({ principal, params }) => ({ body: await imports.read(principal, params.id) }),
    }),
    route({
      method: 'DELETE',
      path: '/imports/:id',
      operation: 'cancelImport',
      summary: 'End an import and erase its archive; what it has written stays',
      params: IdParams,
      responses: { 204: null },
      errors: ['import_not_found'],
      handle: ({ principal, params }) => imports.cancel(principal, params.id),
    }),
    route({
      method: 'POST',
      path: '/imports/:id/apply',
      operation: 'applyImport',
      summary: 'Import what a dry run has reported',
      params: IdParams,
      responses: { 202: schema.ImportStarted },
      errors: ['import_not_found', 'import_not_applicable', 'vault_header_not_found', 'insufficient_access'],
      handle: async ({ principal, params }) => {
        await imports.apply(principal, params.id);
        return { body: { id: params.id } };
      },
    }),
  ];
}
