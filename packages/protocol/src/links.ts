import { type Static, Type } from 'typebox';
import { Nullable, Uuid } from './schemas.ts';

/** A link to the note from another one. */
export const Backlink = Type.Object({
  source_note_id: Uuid,
  source_path: Nullable(
    Type.String({ description: 'Null only when the linking note is damaged and cannot be opened.' }),
  ),
  source_title: Nullable(Type.String()),
  alias: Nullable(Type.String()),
  anchor: Nullable(Type.String()),
});
export type Backlink = Static<typeof Backlink>;
export const BacklinksResponse = Type.Object({ backlinks: Type.Array(Backlink) });
export type BacklinksResponse = Static<typeof BacklinksResponse>;
