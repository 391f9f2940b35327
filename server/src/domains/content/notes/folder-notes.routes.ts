import { NotevaultError } from '@notevault/protocol/errors.ts';
import * as schema from '@notevault/protocol/folders.ts';
import { IdParams } from '@notevault/protocol/values/schemas.ts';
import { answerBytes } from '../../../http/answers/answer-bytes.ts';
import { type Route, route } from '../../../http/route.ts';
import type { Folders } from '../entries/entries.ts';
import { folderPathFrom } from '../entries/request-paths.ts';
import type { Notes } from './notes.ts';

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
      query: schema.FolderQuery,
      responses: { 200: schema.NotesInFolder },
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
      responses: { 200: schema.NotesInFolderById },
      errors: ['bad_folder_id', 'folder_id_not_found', 'note_unreadable', 'attachment_unreadable'],
      handle: async ({ vault, params }) => {
        const { id } = await folders.byId(vault, params.id);
        return { body: { notes: await notes.listIn(vault, id) } };
      },
    }),
  ];
}
