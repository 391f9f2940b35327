import { type Static, Type } from 'typebox';
import { Nullable, Uuid } from './values/schemas.ts';

export const MentionsQuery = Type.Object({
  cursor: Type.Optional(Type.String({ description: 'The `next_cursor` of the page before.' })),
});
export type MentionsQuery = Static<typeof MentionsQuery>;

export const Mention = Type.Object({
  note_id: Uuid,
  path: Type.String(),
  title: Type.String(),
  start: Type.Integer({ description: 'Where the name begins in the note, in UTF-16 units.' }),
  text: Type.String({ description: 'The name as it is written there.' }),
  context: Type.String({ description: 'The plain text around it, at most 200 characters.' }),
  context_mention: Type.Array(Type.Integer(), { description: 'Begin and end of the name in `context`.' }),
});
export type Mention = Static<typeof Mention>;

export const Mentions = Type.Object({
  mentions: Type.Array(Mention, { description: 'By note, oldest first, then by place; at most 100 of a note.' }),
  next_cursor: Nullable(
    Type.String({ description: 'Null on the last page. A page before it may be empty: not all notes were read yet.' }),
  ),
});
export type Mentions = Static<typeof Mentions>;

export const LinkMention = Type.Object({
  note_id: Uuid,
  start: Type.Integer({ minimum: 0 }),
  text: Type.String({ description: 'The `text` of the mention, as it was read.' }),
});
export type LinkMention = Static<typeof LinkMention>;

export const MentionLinked = Type.Object({
  note_id: Uuid,
  path: Type.String(),
  version: Type.Integer({ description: 'The version of the note.' }),
  content_hash: Type.String(),
});
export type MentionLinked = Static<typeof MentionLinked>;
