import { type Static, Type } from 'typebox';
import { Nullable, Uuid } from './schemas.ts';

/** A link from another note to this one. */
export const Backlink = Type.Object({
  source_note_id: Uuid,
  source_path: Nullable(Type.String({ description: 'Null only if the linking note is damaged.' })),
  source_title: Nullable(Type.String()),
  alias: Nullable(Type.String()),
  anchor: Nullable(Type.String()),
});
export type Backlink = Static<typeof Backlink>;
export const BacklinksResponse = Type.Object({ backlinks: Type.Array(Backlink) });
export type BacklinksResponse = Static<typeof BacklinksResponse>;
