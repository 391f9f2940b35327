import { NotevaultError } from '@notevault/protocol/errors.ts';
import { Type } from 'typebox';
import { answerBytes } from '../../http/answer-bytes.ts';
import { keyedRoute, type Route, route } from '../../http/route.ts';
import { writingOf } from '../../http/writing.ts';
import { finishNothing } from '../idempotency/idempotency.ts';
import { NoteListed, sent } from '../notes/notes.schema.ts';
import type { Notes } from '../notes/notes.ts';
import { folderPathFrom } from '../tree/tree.ts';
import { Folder, FolderRenamed } from './folders.schema.ts';
import type { Folders } from './folders.ts';

const BATCH_ERRORS = [
  'missing_ids',
  'invalid_ids',
  'too_many_items',
  'item_not_found',
  'note_unreadable',
  'attachment_unreadable',
] as const;
const Listed = Type.Object({ notes: Type.Array(NoteListed) });

export function foldersRoutes(folders: Folders, notes: Notes): Route[] {
  return [...readingRoutes(folders, notes), ...writingRoutes(folders)];
}

function readingRoutes(folders: Folders, notes: Notes): Route[] {
  return [
    route({
      method: 'GET',
      path: '/folders',
      operation: 'listFolders',
      summary: 'Every folder, the root included',
      access: 'read',
      answerBytes: answerBytes.page,
      responses: { 200: Type.Object({ folders: Type.Array(Folder) }) },
      handle: async ({ vault }) => ({ body: { folders: await folders.list(vault) } }),
    }),
    route({
      method: 'GET',
      path: '/folders/explicit',
      operation: 'listExplicitFolders',
      summary: 'The folders that somebody made',
      access: 'read',
      answerBytes: answerBytes.page,
      responses: { 200: Type.Object({ folders: Type.Array(Type.Pick(Folder, ['name', 'id'])) }) },
      handle: async ({ vault }) => {
        const all = await folders.list(vault);
        return { body: { folders: all.filter(({ id }) => id !== null).map(({ name, id }) => ({ name, id })) } };
      },
    }),
    route({
      method: 'GET',
      path: '/folders/list',
      operation: 'listFolderNotes',
      summary: 'The notes directly inside a folder',
      access: 'read',
      answerBytes: answerBytes.page,
      query: Type.Object({ folder: Type.Optional(Type.String()) }),
      responses: { 200: Type.Object({ folder: Type.String(), notes: Type.Array(NoteListed) }) },
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
      summary: 'The notes directly inside a folder that somebody made',
      access: 'read',
      answerBytes: answerBytes.page,
      params: Type.Object({ id: Type.String() }),
      responses: { 200: Listed },
      errors: ['bad_folder_id', 'folder_id_not_found', 'note_unreadable', 'attachment_unreadable'],
      handle: async ({ vault, params }) => {
        const { id } = await folders.byId(vault, params.id);
        return { body: { notes: await notes.listIn(vault, id) } };
      },
    }),
  ];
}

function writingRoutes(folders: Folders): Route[] {
  return [
    keyedRoute({
      path: '/folders',
      operation: 'createFolder',
      summary: 'Make a folder, or keep the one that is there',
      access: 'write',
      body: Type.Object({ folder: sent('The path.') }),
      responses: { 201: Type.Object({ folder: Folder }) },
      errors: ['folder_empty', 'conflict'],
      perform: (call, finish) => folders.create(writingOf(call, finish), call.body.folder),
      reply: (folder) => ({ body: { folder } }),
    }),
    route({
      method: 'DELETE',
      path: '/folders/*',
      anyName: true,
      operation: 'deleteFolder',
      summary: 'Remove a folder’s marker, its notes stay; with `recursive=true`, delete all in it too',
      access: 'write',
      query: Type.Object({ recursive: Type.Optional(Type.String()) }),
      responses: { 204: null },
      errors: ['folder_empty', 'note_unreadable', 'attachment_unreadable'],
      handle: async (call) => {
        const recursive = ['true', '1'].includes(call.query.recursive ?? '');
        await folders.remove(writingOf(call, finishNothing), call.tail, recursive);
        return {};
      },
    }),
    keyedRoute({
      path: '/folders/rename',
      operation: 'renameFolder',
      summary: 'Rename or move a folder with all in it; links go along',
      access: 'write',
      body: Type.Object({ old_path: Type.String(), new_path: Type.String() }),
      responses: { 200: FolderRenamed },
      errors: ['folder_not_found', 'conflict', 'cycle', 'note_unreadable', 'attachment_unreadable'],
      perform: (call, finish) => folders.rename(writingOf(call, finish), call.body),
      reply: (renamed) => ({ body: renamed }),
    }),
    keyedRoute({
      key: 'required',
      path: '/folders/batch-move',
      operation: 'moveFolders',
      summary: 'Move folders with all in them, all or none; links go along',
      access: 'write',
      body: Type.Object({
        ids: sent('Ids of folders that somebody made, 1 to 1,000.'),
        target_parent_id: sent('A folder’s id, or `root`.'),
        target_parent: sent('A folder’s path, empty for the top level; it need not exist yet.'),
      }),
      responses: { 200: Type.Object({ moved: Type.Integer() }) },
      errors: [...BATCH_ERRORS, 'missing_target', 'conflict', 'cycle'],
      perform: (call, finish) => {
        const { ids, target_parent_id: id, target_parent: path } = call.body;
        return folders.moveMany(writingOf(call, finish), ids, { id, path });
      },
      reply: (moved) => ({ body: { moved } }),
    }),
    keyedRoute({
      key: 'required',
      path: '/folders/batch-delete',
      operation: 'deleteFolders',
      summary: 'Delete folders with all in them, all or none',
      access: 'write',
      body: Type.Object({ ids: sent('Ids of folders that somebody made, 1 to 1,000.') }),
      responses: { 200: Type.Object({ deleted: Type.Integer() }) },
      errors: BATCH_ERRORS,
      perform: (call, finish) => folders.deleteMany(writingOf(call, finish), call.body.ids),
      reply: (deleted) => ({ body: { deleted } }),
    }),
  ];
}
