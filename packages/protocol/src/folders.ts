import { type Static, Type } from 'typebox';
import { linksLeft } from './links.ts';
import { NoteListed } from './notes.ts';
import {
  DryRun,
  Nullable,
  queryFlag,
  REQUIRED,
  sent,
  sentAlways,
  sentIds,
  TargetFolder,
  TargetFolderId,
  Uuid,
} from './values/schemas.ts';

export const Folder = Type.Object({
  name: Type.String({ description: 'Full path; empty for the root.' }),
  id: Nullable(Uuid),
  parent_id: Nullable(Uuid),
  count: Type.Integer({ description: 'Notes directly inside.' }),
});
export type Folder = Static<typeof Folder>;

export const FolderRenamed = Type.Object({
  renamed: Type.Boolean({ description: 'False in a dry run.' }),
  ...linksLeft,
  old_path: Type.String(),
  new_path: Type.String(),
  count: Type.Integer({ description: 'Number of notes moved.' }),
  attachments: Type.Integer({ description: 'Number of attachments moved.' }),
});
export type FolderRenamed = Static<typeof FolderRenamed>;

export const FolderResponse = Type.Object({ folder: Folder });
export type FolderResponse = Static<typeof FolderResponse>;
export const FoldersResponse = Type.Object({ folders: Type.Array(Folder) });
export type FoldersResponse = Static<typeof FoldersResponse>;
/** Explicit folders, which exist even when they are empty. */
export const ExplicitFolders = Type.Object({ folders: Type.Array(Type.Pick(Folder, ['name', 'id'])) });
export type ExplicitFolders = Static<typeof ExplicitFolders>;

export const FolderQuery = Type.Object({ folder: Type.Optional(Type.String(REQUIRED)) });
export const NotesInFolder = Type.Object({ folder: Type.String(), notes: Type.Array(NoteListed) });
export type NotesInFolder = Static<typeof NotesInFolder>;
export const NotesInFolderById = Type.Object({ notes: Type.Array(NoteListed) });
export type NotesInFolderById = Static<typeof NotesInFolderById>;

export const CreateFolder = Type.Object({ folder: sentAlways(Type.String({ description: 'The path.' })) });
export const DeleteFolderQuery = Type.Object({ recursive: queryFlag('`true` deletes the folder with its contents.') });
export const MoveFolders = Type.Object({
  ids: sentAlways(sentIds('Ids of explicit folders')),
  target_parent_id: sent(TargetFolderId),
  target_parent: sent(TargetFolder),
  dry_run: DryRun,
});
export const DeleteFolders = Type.Object({ ids: sentAlways(sentIds('Ids of explicit folders')) });
