import { QueryRequest, QueryResponse } from '@notevault/protocol/queries.ts';
import { SearchRequest, SearchResponse, SearchStatus } from '@notevault/protocol/search.ts';
import { Tasks, TasksQuery } from '@notevault/protocol/tasks.ts';
import { type Route, route } from '../../http/route.ts';
import type { Search } from './search.ts';

export function searchRoutes(search: Search): Route[] {
  return [
    route({
      method: 'POST',
      path: '/search',
      operation: 'search',
      summary: 'Search notes; each note is at most one result',
      compresses: true,
      body: SearchRequest,
      responses: { 200: SearchResponse },
      errors: ['cross_vault_plan', 'invalid_cursor'],
      handle: async ({ principal, vault, body }) => ({ body: await search.find(principal, vault, body) }),
    }),
    route({
      method: 'POST',
      path: '/vault/query',
      operation: 'queryNotes',
      summary: 'Query notes by their properties: a table of the columns that are asked for',
      compresses: true,
      body: QueryRequest,
      responses: { 200: QueryResponse },
      errors: ['invalid_cursor'],
      handle: async ({ principal, vault, body }) => ({ json: await search.query(principal, vault, body) }),
    }),
    route({
      method: 'GET',
      path: '/vault/tasks',
      operation: 'listTasks',
      summary: 'List the tasks of the notes: list items with a box',
      compresses: true,
      query: TasksQuery,
      responses: { 200: Tasks },
      errors: ['invalid_cursor'],
      handle: async ({ principal, vault, query }) => ({ body: await search.tasks(principal, vault, query) }),
    }),
    route({
      method: 'GET',
      path: '/search/status',
      operation: 'searchStatus',
      summary: 'The number of notes of the vault, and of those with vectors',
      responses: { 200: SearchStatus },
      handle: async ({ vault }) => ({ body: await search.status(vault) }),
    }),
  ];
}
