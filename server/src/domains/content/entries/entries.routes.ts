import * as schema from '@notevault/protocol/folders.ts';
import { MovedCount } from '@notevault/protocol/links.ts';
import { RenamedMany, RenameMany } from '@notevault/protocol/rename-many.ts';
import { RestoreFromTrash, TRASH_PAGE, TrashPage, TrashQuery, TrashRestored } from '@notevault/protocol/trash.ts';
import { Deleted, DeletedCount, IdParams, isSet, RenameBody } from '@notevault/protocol/values/schemas.ts';
import { answerBytes } from '../../../http/answers/answer-bytes.ts';
import { idParam, limitParam } from '../../../http/params.ts';
import { actorOf, writeContextOf } from '../../../http/request-context.ts';
import { idempotentRoute, type Route, route } from '../../../http/route.ts';
import type { Entries } from './entries.ts';

const UNREADABLE = ['note_unreadable', 'attachment_unreadable'] as const;
const BATCH_ERRORS = ['missing_ids', 'invalid_ids', 'too_many_items', 'item_not_found', ...UNREADABLE] as const;

export function entriesRoutes(entries: Entries): Route[] {
  return [
    ...[...folderRoutes(entries), ...folderWritingRoutes(entries), ...folderBatchRoutes(entries)],
    ...[...movesRoutes(entries), ...trashRoutes(entries)],
  ];
}

function folderRoutes({ folders }: Entries): Route[] {
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

function folderWritingRoutes({ folders }: Entries): Route[] {
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
      errors: ['folder_empty', ...UNREADABLE],
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
      errors: ['folder_not_found', 'conflict', 'cycle', ...UNREADABLE],
      perform: (request, inTransaction) => folders.rename(writeContextOf(request, inTransaction), request.body),
      reply: (renamed) => ({ body: renamed }),
    }),
  ];
}

function folderBatchRoutes({ folders }: Entries): Route[] {
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

function movesRoutes(entries: Entries): Route[] {
  return [
    idempotentRoute({
      path: '/vault/rename-many',
      operation: 'renameMany',
      summary: 'Rename notes and attachments, all or none, and update links; names may be swapped or go in circles',
      body: RenameMany,
      responses: { 200: RenamedMany },
      errors: [
        ...(['too_many_items', 'item_not_found', 'conflict', 'extension_not_allowed', 'limit_exceeded'] as const),
        ...UNREADABLE,
      ],
      perform: (request, inTransaction) => entries.renameMany(writeContextOf(request, inTransaction), request.body),
      reply: (renamed) => ({ body: renamed }),
    }),
  ];
}

function trashRoutes({ trash }: Entries): Route[] {
  return [
    route({
      method: 'GET',
      path: '/trash',
      operation: 'listTrash',
      summary: 'List deleted notes and attachments that can be restored, what was deleted last first',
      compresses: true,
      answerBytes: answerBytes.note,
      query: TrashQuery,
      responses: { 200: TrashPage },
      errors: ['invalid_cursor', ...UNREADABLE],
      handle: async ({ vault, query }) => ({
        body: await trash.list(vault, query, limitParam(query.limit, TRASH_PAGE, TRASH_PAGE)),
      }),
    }),
    idempotentRoute({
      path: '/trash/:id/restore',
      operation: 'restoreFromTrash',
      summary: 'Restore a deleted note or attachment with its id, where it was or at another path',
      answerBytes: answerBytes.write,
      params: IdParams,
      body: RestoreFromTrash,
      responses: { 200: TrashRestored },
      errors: [
        ...(['invalid_id', 'trash_not_found', 'conflict', 'limit_exceeded', 'extension_not_allowed'] as const),
        'file_too_large',
        ...UNREADABLE,
      ],
      perform: (request, inTransaction) =>
        trash.restore(writeContextOf(request, inTransaction), idParam(request.params.id), request.body?.path),
      reply: (restored) => ({ body: restored }),
    }),
    route({
      method: 'DELETE',
      path: '/trash/:id',
      operation: 'deleteFromTrash',
      summary: 'Delete a note or attachment in the trash for good',
      params: IdParams,
      responses: { 200: Deleted },
      errors: ['invalid_id', 'trash_not_found'],
      handle: async (request) => {
        const { vault, device, params } = request;
        await trash.purge({ vault, device, actor: actorOf(request) }, idParam(params.id));
        return { body: { deleted: true } };
      },
    }),
  ];
}
