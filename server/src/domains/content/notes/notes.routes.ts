import { NotevaultError } from '@notevault/protocol/errors.ts';
import { FolderQuery, NotesInFolder, NotesInFolderById } from '@notevault/protocol/folders.ts';
import { MovedCount } from '@notevault/protocol/links.ts';
import { LinkMention, MentionLinked } from '@notevault/protocol/mentions.ts';
import * as schema from '@notevault/protocol/notes.ts';
import { TaskToggled, ToggleTask } from '@notevault/protocol/tasks.ts';
import { Deleted, DeletedCount, IdParams, RenameBody } from '@notevault/protocol/values/schemas.ts';
import { answerBytes } from '../../../http/answers/answer-bytes.ts';
import { shortHash } from '../../../http/answers/revalidation.ts';
import { idParam, limitParam } from '../../../http/params.ts';
import { writeContextOf } from '../../../http/request-context.ts';
import { idempotentRoute, type Reply, type Route, route } from '../../../http/route.ts';
import { skipInTransaction } from '../../foundation/idempotency/idempotency.ts';
import type { Folders } from '../entries/entries.ts';
import { preconditionOf } from '../entries/precondition.ts';
import { folderPathFrom } from '../entries/request-paths.ts';
import type { Notes } from './notes.ts';

const BATCH_ERRORS = ['missing_ids', 'invalid_ids', 'too_many_items', 'item_not_found', 'note_unreadable'] as const;

export function notesRoutes(notes: Notes): Route[] {
  return [...writingRoutes(notes), ...readingRoutes(notes), ...deletingRoutes(notes)];
}

function writingRoutes(notes: Notes): Route[] {
  return [
    idempotentRoute({
      path: '/notes',
      operation: 'upsertNote',
      summary: 'Create a note, or merge the text into the note at the same path',
      answerBytes: answerBytes.write,
      body: schema.UpsertNote,
      responses: { 200: schema.NoteUpserted },
      errors: ['version_conflict', 'conflict', 'note_too_large', 'limit_exceeded', 'note_unreadable'],
      flagsConflicts: true,
      perform: (request, inTransaction) => notes.upsert(writeContextOf(request, inTransaction), request.body),
      reply: (upserted, { body }) => {
        const { path } = upserted.note;
        return { body: path === body.path ? upserted : { ...upserted, server_path: path } };
      },
    }),
    idempotentRoute({
      path: '/notes/rename',
      operation: 'renameNote',
      summary: 'Rename or move a note, and update the links to it',
      answerBytes: answerBytes.write,
      body: RenameBody,
      responses: { 200: schema.NoteRenamed },
      errors: ['note_not_found', 'conflict', 'note_unreadable'],
      perform: (request, inTransaction) => notes.rename(writeContextOf(request, inTransaction), request.body),
      reply: (renamed) => ({ body: renamed }),
    }),
    idempotentRoute({
      path: '/notes/batch-move',
      operation: 'moveNotes',
      summary: 'Move notes into a folder, all or none, and update the links to them',
      body: schema.MoveNotes,
      responses: { 200: MovedCount },
      errors: [...BATCH_ERRORS, 'missing_target', 'conflict'],
      perform: (request, inTransaction) => {
        const { ids, target_folder_id: id, target_folder: path, dry_run: dryRun } = request.body;
        return notes.moveMany(writeContextOf(request, inTransaction), ids, { id, path, dryRun });
      },
      reply: (moved) => ({ body: moved }),
    }),
  ];
}

function readingRoutes(notes: Notes): Route[] {
  return [
    route({
      method: 'GET',
      path: '/notes/recent',
      operation: 'listRecentNotes',
      summary: 'List the notes that were changed last, newest first',
      compresses: true,
      revalidates: 'vault',
      answerBytes: answerBytes.note,
      query: schema.RecentQuery,
      responses: { 200: schema.RecentNotes },
      errors: ['note_unreadable'],
      handle: async ({ vault, query }) => ({
        body: { notes: await notes.recent(vault, limitParam(query.limit, RECENT_USUAL, RECENT_MAX)) },
      }),
    }),
    route({
      method: 'GET',
      path: '/notes/by-id/:id',
      operation: 'getNoteById',
      summary: 'Get a note by id',
      compresses: true,
      revalidates: 'answer',
      answerBytes: answerBytes.note,
      params: IdParams,
      responses: { 200: schema.Note },
      errors: ['invalid_id', 'note_not_found', 'note_unreadable'],
      prefetch: (vault, { params }) => notes.prefetchById(vault, idParam(params.id)),
      handle: async ({ vault, params, prefetched }) =>
        noteReply((prefetched && (await prefetched)) ?? (await notes.getById(vault, idParam(params.id)))),
    }),
    route({
      method: 'GET',
      path: '/notes/*',
      operation: 'getNote',
      summary: 'Get a note by path',
      compresses: true,
      revalidates: 'answer',
      answerBytes: answerBytes.note,
      responses: { 200: schema.Note },
      errors: ['note_not_found', 'note_unreadable'],
      prefetch: (vault, { tail }) => notes.prefetchByPath(vault, tail),
      handle: async ({ vault, tail, prefetched }) =>
        noteReply((prefetched && (await prefetched)) ?? (await notes.getByPath(vault, tail))),
    }),
  ];
}

function deletingRoutes(notes: Notes): Route[] {
  return [
    route({
      method: 'DELETE',
      path: '/notes/by-id/:id',
      operation: 'deleteNoteById',
      summary: 'Delete a note by id',
      params: IdParams,
      responses: { 200: Deleted },
      conditional: true,
      errors: ['invalid_id', 'note_not_found', 'note_unreadable', 'version_conflict'],
      handle: async (request) => {
        const id = idParam(request.params.id);
        await notes.deleteById(writeContextOf(request, skipInTransaction), id, preconditionOf(request));
        return { body: { deleted: true } };
      },
    }),
    route({
      method: 'DELETE',
      path: '/notes/*',
      operation: 'deleteNote',
      summary: 'Delete the note at a path; succeeds if there is none',
      responses: { 200: Deleted },
      conditional: true,
      errors: ['note_unreadable', 'version_conflict'],
      handle: async (request) => {
        const context = writeContextOf(request, skipInTransaction);
        await notes.deleteByPath(context, request.tail, preconditionOf(request));
        return { body: { deleted: true } };
      },
    }),
  ];
}

export function batchRoutes(notes: Notes): Route[] {
  return [
    idempotentRoute({
      path: '/notes/batch',
      operation: 'upsertNotes',
      summary: 'Upsert up to 100 notes, each independently of the others',
      answerBytes: answerBytes.write,
      body: schema.BatchBody,
      responses: { 200: schema.BatchResponse },
      errors: ['invalid_notes', 'too_many_notes', 'limit_exceeded'],
      perform: (request, inTransaction) =>
        notes.upsertMany(writeContextOf(request, inTransaction), request.body?.notes),
      reply: (results) => ({ body: { results } }),
    }),
    idempotentRoute({
      path: '/notes/append',
      operation: 'appendToNote',
      summary: 'Append text to a note, or create the note',
      body: schema.AppendNote,
      responses: { 200: schema.Appended },
      errors: ['conflict', 'note_too_large', 'limit_exceeded', 'note_unreadable'],
      flagsConflicts: true,
      perform: (request, inTransaction) => notes.append(writeContextOf(request, inTransaction), request.body),
      reply: (appended) => ({ body: appended }),
    }),
    idempotentRoute({
      path: '/notes/batch-delete',
      operation: 'deleteNotes',
      summary: 'Delete several notes, all or none',
      body: schema.DeleteNotes,
      responses: { 200: DeletedCount },
      errors: [...BATCH_ERRORS, 'version_conflict', 'validation'],
      perform: (request, inTransaction) => {
        const { ids, base_hashes } = request.body ?? {};
        return notes.deleteMany(writeContextOf(request, inTransaction), ids, base_hashes);
      },
      reply: (deleted) => ({ body: { deleted } }),
    }),
  ];
}

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

const RECENT_USUAL = 20;
const RECENT_MAX = 100;

/**
 * The answer to a read of a note. Its tag begins with the content hash, so that the text is not hashed again; the rest
 * covers everything else, such as links, which change without the note.
 */
function noteReply({ content, ...others }: schema.Note): Pick<Reply<schema.Note>, 'body' | 'etag'> {
  return { body: { content, ...others }, etag: `${others.content_hash}.${shortHash(JSON.stringify(others))}` };
}

export function folderNotesRoutes(folders: Folders, notes: Notes): Route[] {
  return [
    route({
      method: 'GET',
      path: '/folders/list',
      operation: 'listFolderNotes',
      summary: 'List the notes directly inside a folder, given by path',
      compresses: true,
      revalidates: 'vault',
      answerBytes: answerBytes.page,
      query: FolderQuery,
      responses: { 200: NotesInFolder },
      errors: ['folder_parameter', 'note_unreadable', 'attachment_unreadable'],
      handle: async ({ vault, query }) => {
        if (query.folder === undefined) throw new NotevaultError('folder_parameter');
        const path = folderPathFrom(query.folder, 'folder');
        const entry = path === '' ? null : await folders.at(vault, path);
        if (path !== '' && entry === null) return { body: { folder: path, notes: [] } };
        return { body: { folder: entry?.path ?? '', notes: await notes.listIn(vault, entry?.id ?? null) } };
      },
    }),
    route({
      method: 'GET',
      path: '/folders/by-id/:id/notes',
      operation: 'listFolderNotesById',
      summary: 'List the notes directly inside an explicit folder, given by id',
      compresses: true,
      revalidates: 'vault',
      answerBytes: answerBytes.page,
      params: IdParams,
      responses: { 200: NotesInFolderById },
      errors: ['bad_folder_id', 'folder_id_not_found', 'note_unreadable', 'attachment_unreadable'],
      handle: async ({ vault, params }) => {
        const { id } = await folders.byId(vault, params.id);
        return { body: { notes: await notes.listIn(vault, id) } };
      },
    }),
  ];
}
