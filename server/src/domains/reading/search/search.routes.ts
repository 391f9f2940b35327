import { Mentions, MentionsQuery } from '@notevault/protocol/mentions.ts';
import { QueryRequest, QueryResponse } from '@notevault/protocol/queries.ts';
import { SearchRequest, SearchResponse, SearchStatus } from '@notevault/protocol/search.ts';
import { TASKS_PAGE, Tasks, TasksQuery } from '@notevault/protocol/tasks.ts';
import { IdParams } from '@notevault/protocol/values/schemas.ts';
import { RenameTag, ReplaceText, VaultChange } from '@notevault/protocol/vault-changes.ts';
import { answerBytes } from '../../../http/answers/answer-bytes.ts';
import { idParam, limitParam } from '../../../http/params.ts';
import { writeContextOf } from '../../../http/request-context.ts';
import { idempotentRoute, type Route, route } from '../../../http/route.ts';
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
      handle: async ({ principal, vault, query }) => ({
        body: await search.tasks(principal, vault, query, limitParam(query.limit, TASKS_PAGE, TASKS_PAGE)),
      }),
    }),
    route({
      method: 'GET',
      path: '/search/status',
      operation: 'searchStatus',
      summary: 'The number of notes of the vault, and of those with vectors',
      responses: { 200: SearchStatus },
      handle: async ({ vault }) => ({ body: await search.status(vault) }),
    }),
    ...changesRoutes(search),
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

/** Writes to many notes of a vault at once. */
function changesRoutes(search: Search): Route[] {
  return [
    idempotentRoute({
      path: '/vault/tags/rename',
      operation: 'renameTag',
      summary: 'Rename a tag, with those nested in it, in the texts and the frontmatter of all notes',
      answerBytes: answerBytes.write,
      body: RenameTag,
      responses: { 200: VaultChange },
      errors: ['plan_changed', 'too_many_notes', 'note_too_large', 'note_unreadable'],
      perform: (request, inTransaction) => search.renameTag(writeContextOf(request, inTransaction), request.body),
      reply: (change) => ({ body: change }),
    }),
    idempotentRoute({
      path: '/vault/replace',
      operation: 'replaceText',
      summary: 'Replace a text in the notes of the vault, or of a folder',
      answerBytes: answerBytes.write,
      body: ReplaceText,
      responses: { 200: VaultChange },
      errors: ['plan_changed', 'too_many_notes', 'note_too_large', 'note_unreadable'],
      perform: (request, inTransaction) => search.replaceText(writeContextOf(request, inTransaction), request.body),
      reply: (change) => ({ body: change }),
    }),
  ];
}
