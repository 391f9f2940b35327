import { Type } from 'typebox';
import { idParam } from '../../http/params.ts';
import { keyedRoute, type Route, route } from '../../http/route.ts';
import type { Principal } from '../accounts/accounts.ts';
import { type Finish, finishNothing } from '../idempotency/idempotency.ts';
import type { OpenVault } from '../vaults/vaults.ts';
import { Note, UpsertNote } from './notes.schema.ts';
import type { Notes, Writing } from './notes.ts';

const MB = 1024 * 1024;
/** 10 MB of text can be six times that once escaped. */
const NOTE_BODY_LIMIT = 64 * MB;

const Upserted = Type.Object({
  note: Note,
  server_path: Type.Optional(Type.String({ description: 'The path as stored, when it is not the one sent.' })),
});
const Deleted = Type.Object({ deleted: Type.Boolean() });
const IdParams = Type.Object({ id: Type.String() });

function writingOf<Result>(
  call: { vault: OpenVault; principal: Principal; device: string | null },
  finish: Finish<Result>,
): Writing<Result> {
  const { kind, name } = call.principal;
  return { vault: call.vault, actor: { kind, name }, device: call.device, finish };
}

export function notesRoutes(notes: Notes): Route[] {
  return [
    keyedRoute({
      path: '/notes',
      operation: 'upsertNote',
      summary: 'Create a note, or merge into the one at the same path',
      access: 'write',
      bodyLimit: NOTE_BODY_LIMIT,
      body: UpsertNote,
      responses: { 200: Upserted },
      errors: ['version_conflict', 'conflict', 'note_too_large', 'limit_exceeded', 'note_unreadable'],
      perform: (call, finish) => notes.upsert(writingOf(call, finish), call.body),
      reply: (note, { body }) => ({ body: note.path === body.path ? { note } : { note, server_path: note.path } }),
    }),
    route({
      method: 'GET',
      path: '/notes/by-id/:id',
      operation: 'getNoteById',
      summary: 'A note by id',
      access: 'read',
      params: IdParams,
      responses: { 200: Note },
      errors: ['invalid_id', 'note_not_found', 'note_unreadable'],
      handle: async ({ vault, params }) => ({ body: await notes.getById(vault, idParam(params.id)) }),
    }),
    route({
      method: 'DELETE',
      path: '/notes/by-id/:id',
      operation: 'deleteNoteById',
      summary: 'Delete a note by id',
      access: 'write',
      params: IdParams,
      responses: { 200: Deleted },
      errors: ['invalid_id', 'note_not_found', 'note_unreadable'],
      handle: async (call) => {
        await notes.deleteById(writingOf(call, finishNothing), idParam(call.params.id));
        return { body: { deleted: true } };
      },
    }),
    route({
      method: 'GET',
      path: '/notes/*',
      operation: 'getNote',
      summary: 'A note by path',
      access: 'read',
      responses: { 200: Note },
      errors: ['note_not_found', 'note_unreadable'],
      handle: async ({ vault, tail }) => ({ body: await notes.getByPath(vault, tail) }),
    }),
    route({
      method: 'DELETE',
      path: '/notes/*',
      operation: 'deleteNote',
      summary: 'Delete the note at a path; nothing there is fine too',
      access: 'write',
      responses: { 200: Deleted },
      errors: ['note_unreadable'],
      handle: async (call) => {
        await notes.deleteByPath(writingOf(call, finishNothing), call.tail);
        return { body: { deleted: true } };
      },
    }),
  ];
}
