import { type Static, Type } from 'typebox';
import { Attachment } from './attachments.ts';
import { Note } from './notes.ts';
import { Actor, Nullable, sent, Timestamp, Unchecked, Uuid } from './values/schemas.ts';

export const TrashItem = Type.Object({
  id: Uuid,
  type: Type.Union([Type.Literal('note'), Type.Literal('attachment')]),
  path: Type.String({ description: 'The path that it had.' }),
  title: Nullable(Type.String({ description: 'Notes.' })),
  deleted_at: Timestamp,
  actor: Actor,
  size_bytes: Type.Integer(),
  expires_at: Type.String({ format: 'date-time', description: 'From then on it cannot be restored.' }),
});
export type TrashItem = Static<typeof TrashItem>;

/** Maximum number of items of one page. */
export const TRASH_PAGE = 100;

export const TrashQuery = Type.Object({
  path: Type.Optional(Type.String({ description: 'Only what had this path when it was deleted, in any case.' })),
  limit: Type.Optional(Type.String({ description: `1 to ${TRASH_PAGE}, the default.` })),
  cursor: Type.Optional(Type.String({ description: 'The `next_cursor` of the page before.' })),
});
export type TrashQuery = Static<typeof TrashQuery>;
export const TrashPage = Type.Object({
  items: Type.Array(TrashItem, { description: 'What was deleted last first.' }),
  next_cursor: Nullable(Type.String({ description: 'Cursor of the next page; null on the last page.' })),
});
export type TrashPage = Static<typeof TrashPage>;

export const RestoreFromTrash = Unchecked<{ path?: unknown }>({
  path: sent(Nullable(Type.String({ description: 'Where to restore it; at the path that it had, by default.' }))),
});
export const TrashRestored = Type.Object({
  note: Type.Optional(Note),
  attachment: Type.Optional(Attachment),
});
export type TrashRestored = Static<typeof TrashRestored>;
