import { type Static, Type } from 'typebox';
import { Nullable, Timestamp, Uuid } from '../../http/schemas.ts';

export const UpsertNote = Type.Object({
  path: Type.String(),
  mtime: Type.Number({ description: 'Client mtime, epoch seconds.' }),
  content: Type.Optional(Type.String()),
  version: Type.Optional(Nullable(Type.Integer({ description: 'The version the content was edited from.' }))),
  base_hash: Type.Optional(
    Nullable(Type.String({ description: 'The content_hash last read: any other stored content is a 409.' })),
  ),
  id: Type.Optional(
    Nullable(Type.String({ description: 'Client-minted UUID, honoured when the note is new and the id free.' })),
  ),
  title: Type.Optional(Nullable(Type.String({ description: 'Ignored: comes from the content.' }))),
  folder: Type.Optional(Nullable(Type.String({ description: 'Ignored: comes from the path.' }))),
  tags: Type.Optional(Type.Array(Type.String(), { description: 'Ignored: come from the content.' })),
});
export type UpsertNote = Static<typeof UpsertNote>;

export const NoteLink = Type.Object({
  target_text: Type.String(),
  link_type: Type.Union([Type.Literal('wikilink'), Type.Literal('embed')]),
  dangling: Type.Boolean(),
  alias: Nullable(Type.String()),
  anchor: Nullable(Type.String()),
  target_note_id: Nullable(Uuid),
  target_attachment_id: Nullable(Uuid),
  target_path: Nullable(Type.String()),
});
export type NoteLink = Static<typeof NoteLink>;

const ParseReason = Type.Object({
  code: Type.String(),
  message: Type.String(),
  detail: Type.Object({
    key: Nullable(Type.String()),
    line: Nullable(Type.Integer()),
    snippet: Nullable(Type.String()),
  }),
});

export const Note = Type.Object({
  id: Uuid,
  path: Type.String(),
  content: Type.String(),
  content_hash: Type.String({ description: 'Lower-case hex SHA-256 of the UTF-8 content.' }),
  title: Type.String(),
  folder: Type.String(),
  tags: Type.Array(Type.String()),
  mtime: Type.Number(),
  created_at: Timestamp,
  updated_at: Timestamp,
  version: Type.Integer(),
  seq: Type.Integer(),
  description: Nullable(Type.String()),
  fm_created: Nullable(Timestamp),
  fm_timestamp: Nullable(Timestamp),
  resource: Nullable(Type.String()),
  type: Nullable(Type.String()),
  parse_status: Type.Union([Type.Literal('ok'), Type.Literal('degraded')]),
  parse_reason: Type.Optional(ParseReason),
  links: Type.Array(NoteLink),
});
export type Note = Static<typeof Note>;

/** A field that the verb looks at itself: its faults have answers of their own. */
export function sent(description: string) {
  return Type.Optional(Type.Unknown({ description }));
}

/** A note in a list: without content and links. */
export const NoteListed = Type.Object({
  id: Uuid,
  path: Type.String(),
  title: Type.String(),
  folder: Type.String(),
  tags: Type.Array(Type.String()),
  version: Type.Integer(),
  content_hash: Type.String(),
  mtime: Type.Number(),
  created_at: Timestamp,
  updated_at: Timestamp,
});
export type NoteListed = Static<typeof NoteListed>;
