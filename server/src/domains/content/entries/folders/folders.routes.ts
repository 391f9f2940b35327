import * as schema from '@notevault/protocol/folders.ts';
import { MovedCount } from '@notevault/protocol/links.ts';
import { DeletedCount, isSet, RenameBody } from '@notevault/protocol/values/schemas.ts';
import { answerBytes } from '../../../../http/answers/answer-bytes.ts';
import { writeContextOf } from '../../../../http/request-context.ts';
import { idempotentRoute, type Route, route } from '../../../../http/route.ts';
import type { Folders } from './folders.ts';

const BATCH_ERRORS = [
  'missing_ids',
  'invalid_ids',
  'too_many_items',
  'item_not_found',
  'note_unreadable',
  'attachment_unreadable',
] as const;

export function foldersRoutes(folders: Folders): Route[] {
  return [...readingRoutes(folders), ...writingRoutes(folders), ...batchRoutes(folders)];
}

function readingRoutes(folders: Folders): Route[] {
  return [
    route({
      method: 'GET',
      path: '/folders',
      operation: 'listFolders',
      summary: 'List all folders, including the root',
      compresses: true,
      revalidates: 'vault',
      answerBytes: answerBytes.page,
      responses: { 200: schema.FoldersResponse },
      handle: async ({ vault }) => ({ body: { folders: await folders.list(vault) } }),
    }),
    route({
      method: 'GET',
      path: '/folders/explicit',
      operation: 'listExplicitFolders',
      summary: 'List the explicit folders: those that a client created',
      compresses: true,
      revalidates: 'vault',
      answerBytes: answerBytes.page,
      responses: { 200: schema.ExplicitFolders },
      handle: async ({ vault }) => {
        const all = await folders.list(vault);
        return { body: { folders: all.filter(({ id }) => id !== null).map(({ name, id }) => ({ name, id })) } };
      },
    }),
  ];
}

function writingRoutes(folders: Folders): Route[] {
  return [
    idempotentRoute({
      path: '/folders',
      operation: 'createFolder',
      summary: 'Create an explicit folder, or return the existing one',
      body: schema.CreateFolder,
      responses: { 201: schema.FolderResponse },
      errors: ['folder_empty', 'conflict'],
      perform: (request, inTransaction) => folders.create(writeContextOf(request, inTransaction), request.body.folder),
      reply: (folder) => ({ body: { folder } }),
    }),
    idempotentRoute({
      method: 'DELETE',
      path: '/folders/*',
      anyName: true,
      operation: 'deleteFolder',
      summary:
        'Make a folder no longer explicit and keep its contents; with `recursive=true`, delete it with its contents',
      query: schema.DeleteFolderQuery,
      responses: { 204: null },
      errors: ['folder_empty', 'note_unreadable', 'attachment_unreadable'],
      perform: (request, inTransaction) =>
        folders.remove(writeContextOf(request, inTransaction), request.tail, isSet(request.query.recursive)),
      reply: () => ({}),
    }),
    idempotentRoute({
      path: '/folders/rename',
      operation: 'renameFolder',
      summary: 'Rename or move a folder with its contents, and update links',
      body: RenameBody,
      responses: { 200: schema.FolderRenamed },
      errors: ['folder_not_found', 'conflict', 'cycle', 'note_unreadable', 'attachment_unreadable'],
      perform: (request, inTransaction) => folders.rename(writeContextOf(request, inTransaction), request.body),
      reply: (renamed) => ({ body: renamed }),
    }),
  ];
}

function batchRoutes(folders: Folders): Route[] {
  return [
    idempotentRoute({
      path: '/folders/batch-move',
      operation: 'moveFolders',
      summary: 'Move folders with their contents, all or none, and update links',
      body: schema.MoveFolders,
      responses: { 200: MovedCount },
      errors: [...BATCH_ERRORS, 'missing_target', 'conflict', 'cycle'],
      perform: (request, inTransaction) => {
        const { ids, target_parent_id: id, target_parent: path, dry_run: dryRun } = request.body;
        return folders.moveMany(writeContextOf(request, inTransaction), ids, { id, path, dryRun });
      },
      reply: (moved) => ({ body: moved }),
    }),
    idempotentRoute({
      path: '/folders/batch-delete',
      operation: 'deleteFolders',
      summary: 'Delete folders with their contents, all or none',
      body: schema.DeleteFolders,
      responses: { 200: DeletedCount },
      errors: BATCH_ERRORS,
      perform: (request, inTransaction) => folders.deleteMany(writeContextOf(request, inTransaction), request.body.ids),
      reply: (deleted) => ({ body: { deleted } }),
    }),
  ];
}
