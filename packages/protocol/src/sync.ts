import { type Static, Type } from 'typebox';
import { Folder } from './folders.ts';
import { Actor, documented, Nullable, sent, sentId, Timestamp, Uuid } from './values/schemas.ts';

export const ManifestAttachment = Type.Object({
  id: Uuid,
  path: Type.String(),
  content_hash: Type.String({ description: 'Lower-case hex SHA-256 of the content.' }),
  seq: Type.Integer({ description: 'The seq of the last change to the row. A client with a lower one is behind.' }),
});
export type ManifestAttachment = Static<typeof ManifestAttachment>;

export const ManifestNote = Type.Object({
  ...ManifestAttachment.properties,
  crdt_head: Type.String({
    description:
      'Lower-case hex SHA-256 of the document’s Yjs snapshot. A client has converged when this and content_hash equal its own.',
  }),
});
export type ManifestNote = Static<typeof ManifestNote>;

/** A row whose stored data is damaged: its path and content are not known. */
export const UnreadableRow = Type.Object({
  id: Uuid,
  seq: Type.Integer(),
  type: Type.Union([Type.Literal('note'), Type.Literal('attachment')]),
});
export type UnreadableRow = Static<typeof UnreadableRow>;
const Unreadable = Type.Optional(
  Type.Array(UnreadableRow, {
    description:
      'With `unreadable=list`, if there are any: rows that are damaged, so that nothing but this is known of them. They are in no other list. Keep what you have of them: they were not deleted.',
  }),
);

/** Either the whole manifest, or only `unchanged` and `change_seq`. */
export const Manifest = Type.Object({
  change_seq: Type.Integer(),
  total_notes: Type.Optional(Type.Integer()),
  total_attachments: Type.Optional(Type.Integer()),
  notes: Type.Optional(Type.Array(ManifestNote, { description: 'By path.' })),
  attachments: Type.Optional(Type.Array(ManifestAttachment, { description: 'By path.' })),
  unreadable: Unreadable,
  unchanged: Type.Optional(
    Type.Boolean({
      description: 'True when `since_seq` is the current seq; the only other field is then `change_seq`.',
    }),
  ),
});
export type Manifest = Static<typeof Manifest>;

export const SyncChange = Type.Object({
  seq: Type.Integer({ description: 'The seq of the last change to the row.' }),
  type: Type.Union([Type.Literal('note'), Type.Literal('attachment')]),
  id: Uuid,
  path: Type.String({
    description:
      'Of a deletion empty for viewers, who do not see the trash, as is all else that says what it was or who deleted it.',
  }),
  content_hash: Type.String(),
  deleted: Type.Boolean(),
  mtime: Type.Number(),
  updated_at: Timestamp,
  title: Type.Optional(Type.String({ description: 'Notes.' })),
  folder: Type.Optional(Type.String({ description: 'Notes.' })),
  version: Type.Optional(Type.Integer({ description: 'Notes.' })),
  mime_type: Type.Optional(Type.String({ description: 'Attachments.' })),
  size_bytes: Type.Optional(Type.Integer({ description: 'Attachments.' })),
  content: Type.Optional(Type.String({ description: 'Live notes, with `fields=all`.' })),
  actor: Type.Optional(
    Type.Object(Actor.properties, {
      description: 'Who made the last change, with `fields=all`. Absent for attachments from before this was stored.',
    }),
  ),
});
export type SyncChange = Static<typeof SyncChange>;

/** Damaged row in the change feed; the feed continues after it. */
export const UnreadableChange = Type.Object({ ...UnreadableRow.properties, unreadable: Type.Literal(true) });
export type UnreadableChange = Static<typeof UnreadableChange>;

export const SyncChanges = Type.Object({
  changes: Type.Array(Type.Union([SyncChange, UnreadableChange]), {
    description: 'Ordered by seq; each row once, in its current state.',
  }),
  has_more: Type.Boolean(),
  next_cursor: Nullable(Type.String({ description: 'Cursor of the next page; null on the last page.' })),
  resume_cursor: Type.String({
    description:
      'The position after this page. Store it together with the applied changes, and send it as `cursor` next time.',
  }),
  change_seq: Type.Optional(
    Type.Integer({
      description:
        'Of the vault at that moment. On the last page it is beyond the last row after changes that have none, such as of folders. Earlier servers omit it.',
    }),
  ),
  access: Type.Optional(
    Type.Enum(['read', 'write'], {
      description:
        'What role and credential allow in the vault; `write` also while writes are refused because the account of its owner is suspended.',
    }),
  ),
});
export type SyncChanges = Static<typeof SyncChanges>;

/** Maximum number of notes in one request of `POST /sync/known`. */
export const KNOWN_NOTES_MAX = 500;

export const KnownNotesRequest = Type.Object({
  notes: Type.Array(
    Type.Object({
      path: Type.String(),
      content_hash: Type.String({ description: 'Lower-case hex SHA-256 of the text that the client has.' }),
    }),
    documented({ maxItems: KNOWN_NOTES_MAX }),
  ),
});
export type KnownNotesRequest = Static<typeof KnownNotesRequest>;

export const KnownNote = Type.Object({
  path: Type.String({ description: 'As in the request.' }),
  id: Uuid,
  version: Type.Integer({ description: 'The newest version of the note that has this text.' }),
  current: Type.Boolean({ description: 'Whether that is the live note; else it is one of its kept versions.' }),
});
export type KnownNote = Static<typeof KnownNote>;

export const KnownNotes = Type.Object({
  notes: Type.Array(KnownNote, {
    description:
      'In the order of the request. A text that is neither that of the note at the path nor one of its newest 200 kept versions is left out; viewers, who see no history, learn of the live notes alone.',
  }),
});
export type KnownNotes = Static<typeof KnownNotes>;

export const VaultTree = Type.Object({
  change_seq: Type.Integer(),
  resume_cursor: Type.Optional(
    Type.String({ description: 'The position in the change feed after what is listed. Earlier servers omit it.' }),
  ),
  folders: Type.Array(Folder, { description: 'The root (empty name) first, then ordered by path.' }),
  notes: Type.Array(
    Type.Object({
      id: Uuid,
      path: Type.String(),
      created_at: Timestamp,
      updated_at: Timestamp,
      aliases: Type.Optional(
        Type.Array(Type.String(), {
          description: 'Other names of the note, from its frontmatter; absent without any.',
        }),
      ),
    }),
  ),
  attachments: Type.Array(
    Type.Object({
      id: Uuid,
      path: Type.String(),
      size_bytes: Type.Integer(),
      mtime: Type.Number(),
      updated_at: Timestamp,
      mime_type: Nullable(Type.String()),
    }),
  ),
  unreadable: Unreadable,
});
export type VaultTree = Static<typeof VaultTree>;

export const VaultGraph = Type.Object({
  change_seq: Type.Integer(),
  nodes: Type.Array(
    Type.Object({
      id: Uuid,
      path: Type.String(),
      title: Nullable(Type.String()),
      tags: Type.Optional(Type.Array(Type.String(), { description: 'Without `#`; absent without any.' })),
    }),
    { description: 'Every note, ordered by path.' },
  ),
  edges: Type.Array(Type.Array(Uuid, { minItems: 2, maxItems: 2 }), {
    description: 'The ids of a note and of another to which it links, once for each pair.',
  }),
});
export type VaultGraph = Static<typeof VaultGraph>;

const UnreadableQuery = Type.Optional(
  Type.Literal('list', {
    description:
      'Answer although rows are damaged, and list these apart. Without it, the answer is then 500 and names them.',
  }),
);
export const TreeQuery = Type.Object({ unreadable: UnreadableQuery });
export const ManifestQuery = Type.Object({
  unreadable: UnreadableQuery,
  since_seq: sent(
    Type.String({
      description: 'The change_seq of an earlier manifest. While it is current, the answer contains no rows.',
    }),
  ),
});
export const ChangesQuery = Type.Object({
  cursor: Type.Optional(
    Type.String({ description: 'A `next_cursor` or `resume_cursor`. If absent, the feed is read from the start.' }),
  ),
  limit: Type.Optional(Type.String({ description: 'Rows per page, 1 to 500. Default 100.' })),
  fields: Type.Optional(
    Type.String({
      description: '`meta` (the default), or `all` to include the content of notes and who changed what.',
      ...documented({ enum: ['meta', 'all'] }),
    }),
  ),
});
export type ChangesQuery = Static<typeof ChangesQuery>;
export const SocketParams = Type.Object({ id: sentId('The note.') });
