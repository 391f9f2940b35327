import { Nullable, Uuid } from '@notevault/protocol/schemas.ts';
import { type Static, Type } from 'typebox';

export const Folder = Type.Object({
  name: Type.String({ description: 'The whole path; empty for the root.' }),
  id: Nullable(Uuid),
  parent_id: Nullable(Uuid),
  count: Type.Integer({ description: 'Notes directly inside.' }),
});
export type Folder = Static<typeof Folder>;

export const FolderRenamed = Type.Object({
  renamed: Type.Boolean(),
  old_path: Type.String(),
  new_path: Type.String(),
  count: Type.Integer({ description: 'Notes that moved along.' }),
  attachments: Type.Integer({ description: 'Attachments that moved along.' }),
});
export type FolderRenamed = Static<typeof FolderRenamed>;
