import { NotevaultError } from '@notevault/protocol/errors.ts';
import * as schema from '@notevault/protocol/notes.ts';
import { IdParams } from '@notevault/protocol/values/schemas.ts';
import { answerBytes } from '../../../../http/answers/answer-bytes.ts';
import { idParam } from '../../../../http/params.ts';
import { writeContextOf } from '../../../../http/request-context.ts';
import { idempotentRoute, type Route, route } from '../../../../http/route.ts';
import type { Notes } from '../notes.ts';

export function historyRoutes(notes: Notes): Route[] {
  return [...versionRoutes(notes), ...facetRoutes(notes)];
}

function versionRoutes(notes: Notes): Route[] {
  return [
    route({
      method: 'GET',
      path: '/notes/by-id/:id/versions',
      operation: 'listNoteVersions',
      summary: 'List the versions of a note, newest first, including the current one',
      compresses: true,
      answerBytes: answerBytes.note,
      params: IdParams,
      responses: { 200: schema.VersionsResponse },
      errors: ['invalid_id', 'note_not_found', 'note_unreadable'],
      handle: async ({ vault, params }) => ({ body: { versions: await notes.versions(vault, idParam(params.id)) } }),
    }),
    route({
      method: 'GET',
      path: '/notes/by-id/:id/versions/:version',
      operation: 'getNoteVersion',
      summary: 'Get a version of a note',
      compresses: true,
      answerBytes: answerBytes.note,
      params: schema.VersionParams,
      responses: { 200: schema.Note },
      errors: ['invalid_id', 'note_not_found', 'note_unreadable'],
      handle: async ({ vault, params }) => ({
        body: await notes.version(vault, idParam(params.id), versionParam(params.version)),
      }),
    }),
    idempotentRoute({
      path: '/notes/by-id/:id/restore',
      operation: 'restoreNoteVersion',
      summary: 'Restore an older version of a note, as a new version',
      answerBytes: answerBytes.write,
      params: IdParams,
      body: schema.RestoreVersion,
      responses: { 200: schema.NoteResponse },
      errors: ['invalid_id', 'note_not_found', 'note_unreadable'],
      perform: (request, inTransaction) =>
        notes.restore(writeContextOf(request, inTransaction), idParam(request.params.id), request.body.version),
      reply: (note) => ({ body: { note } }),
    }),
  ];
}

function facetRoutes(notes: Notes): Route[] {
  return [
    route({
      method: 'GET',
      path: '/tags',
      operation: 'listTags',
      summary: 'List the tags of the vault by name, with the number of notes for each',
      compresses: true,
      revalidates: 'vault',
      answerBytes: answerBytes.page,
      responses: { 200: schema.TagsResponse },
      errors: ['note_unreadable'],
      handle: async ({ vault }) => ({ body: { tags: await notes.tags(vault) } }),
    }),
    route({
      method: 'GET',
      path: '/types',
      operation: 'listTypes',
      summary: 'List the frontmatter types of the vault by name, with the number of notes for each',
      compresses: true,
      revalidates: 'vault',
      answerBytes: answerBytes.page,
      responses: { 200: schema.TypesResponse },
      errors: ['note_unreadable'],
      handle: async ({ vault }) => ({ body: { types: await notes.types(vault) } }),
    }),
  ];
}

/** A version number from the URL; anything else names no version. */
function versionParam(text: string): number {
  const version = Number(text);
  if (!/^[1-9]\d*$/.test(text) || !Number.isSafeInteger(version)) throw new NotevaultError('note_not_found');
  return version;
}
