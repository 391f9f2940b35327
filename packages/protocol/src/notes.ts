import { type Static, Type } from 'typebox';
import { linksLeft } from './links.ts';
import { MB } from './values/byte-units.ts';
import {
  Actor,
  DryRun,
  Nullable,
  sent,
  sentAlways,
  sentId,
  sentIds,
  TargetFolder,
  TargetFolderId,
  Timestamp,
  Unchecked,
  Uuid,
} from './values/schemas.ts';

/** Maximum size of a note's text in UTF-8, in bytes. */
export const NOTE_BYTES_MAX = 10 * MB;

export const UpsertNote = Type.Object({
  path: Type.String(),
  mtime: Type.Number({ description: 'Client mtime, epoch seconds.' }),
  content: Type.Optional(Type.String()),
  version: Type.Optional(Nullable(Type.Integer({ description: 'The version that the content is based on.' }))),
  base_hash: Type.Optional(
    Nullable(
      Type.String({
        description: 'The content_hash last read. If the stored content has another hash, the answer is 409.',
      }),
    ),
  ),
  id: Type.Optional(
    Nullable(
      Type.String({ description: 'UUID chosen by the client; used if the note is new and the id is not in use.' }),
    ),
  ),
  title: Type.Optional(Nullable(Type.String({ description: 'Ignored; derived from the content.' }))),
  folder: Type.Optional(Nullable(Type.String({ description: 'Ignored; derived from the path.' }))),
  tags: Type.Optional(Type.Array(Type.String(), { description: 'Ignored; derived from the content.' })),
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

/** Why the frontmatter is degraded. */
export const ParseReason = Type.Object({
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

export const RecentQuery = Type.Object({
  limit: Type.Optional(Type.String({ description: '1 to 100. Default 20.' })),
});
/** Newest change first. */
export const RecentNotes = Type.Object({ notes: Type.Array(NoteListed) });
export type RecentNotes = Static<typeof RecentNotes>;

/** Stored values that a merge replaced with the later write's value; an earlier version keeps them. */
const Merged = Type.Array(
  Type.Object({
    property: Type.Optional(Type.String({ description: 'The property that had it.' })),
    line: Type.Optional(Type.Integer({ description: 'The line of the text that had it, counted from 1.' })),
    stored: Type.String({ description: 'The stored value that gave way; at most 1,000 UTF-16 units.' }),
  }),
  { maxItems: 20, description: 'Stored values that this write replaced, where both had changed them.' },
);

/** The result of one item of a batch. */
export const BatchResult = Type.Object({
  status: Type.Union([Type.Literal('ok'), Type.Literal('conflict'), Type.Literal('error')]),
  path: Type.String({ description: 'The path as sent; empty if it was not a text.' }),
  id: Type.Optional(Uuid),
  content_hash: Type.Optional(Type.String()),
  version: Type.Optional(Type.Integer()),
  parse_status: Type.Optional(Type.Union([Type.Literal('ok'), Type.Literal('degraded')])),
  parse_reason: Type.Optional(ParseReason),
  merged: Type.Optional(Merged),
  // Left out where the answer would become too large; the client then reads the note itself.
  server_note: Type.Optional(Nullable(Note)),
  server_path: Type.Optional(
    Type.String({ description: 'The path as stored; if the path is in use, the path of the note that has it.' }),
  ),
  reason: Type.Optional(Type.String({ description: '`recently_deleted`: another device has deleted this note.' })),
  conflict: Type.Optional(Type.Boolean({ description: 'True; present only with the status `conflict`.' })),
  errors: Type.Optional(
    Type.Unsafe<Record<string, string[]>>({
      type: 'object',
      additionalProperties: true,
      description: 'Field → messages.',
    }),
  ),
});
export type BatchResult = Static<typeof BatchResult>;

const FaultyItem = Type.Unsafe({
  type: 'object',
  additionalProperties: true,
  description: 'Any other, whose result is an error.',
});
export const BatchBody = Unchecked<{ notes?: unknown }>({
  notes: sentAlways(
    Type.Array(Type.Union([UpsertNote, FaultyItem]), {
      maxItems: 100,
      description: 'At most 100 notes, each as for a single upsert. They succeed or fail independently.',
    }),
  ),
});

export const AppendNote = Type.Object({ path: Type.String(), text: Type.String() });
export type AppendNote = Static<typeof AppendNote>;
export const Appended = Type.Object({ created: Type.Boolean(), path: Type.String(), note: Note });
export type Appended = Static<typeof Appended>;

export const NoteVersion = Type.Object({
  version: Type.Integer(),
  content_hash: Type.String(),
  created_at: Timestamp,
  size_bytes: Type.Integer(),
  reason: Type.String({
    description: 'Reason: create, edit, merge, append, batch, agent, restore, link_rewrite.',
  }),
  actor: Actor,
});
export type NoteVersion = Static<typeof NoteVersion>;

export const RestoreVersion = Type.Object({ version: Type.Integer() });

/** A tag or type with its number of notes. */
export const Counted = Type.Object({ name: Type.String(), count: Type.Integer() });
export type Counted = Static<typeof Counted>;

export const NoteResponse = Type.Object({ note: Note });
export type NoteResponse = Static<typeof NoteResponse>;
export const NoteUpserted = Type.Object({
  note: Note,
  server_path: Type.Optional(Type.String({ description: 'The path as stored, if it differs from the one sent.' })),
  merged: Type.Optional(Merged),
});
export type NoteUpserted = Static<typeof NoteUpserted>;
export const NoteRenamed = Type.Object({
  renamed: Type.Boolean({ description: 'False in a dry run.' }),
  ...linksLeft,
  old_path: Type.String(),
  new_path: Type.String(),
  note: Note,
});
export type NoteRenamed = Static<typeof NoteRenamed>;
export const BatchResponse = Type.Object({ results: Type.Array(BatchResult) });
export type BatchResponse = Static<typeof BatchResponse>;

export const MoveNotes = Type.Object({
  ids: sentAlways(sentIds('Note ids')),
  target_folder_id: sent(TargetFolderId),
  target_folder: sent(TargetFolder),
  dry_run: DryRun,
});
export const DeleteNotes = Unchecked<{ ids?: unknown; base_hashes?: unknown }>({
  ids: sentAlways(sentIds('Note ids')),
  base_hashes: sent(
    Type.Unsafe({
      type: ['object', 'null'],
      additionalProperties: Type.String(),
      description: 'Content hash by id. If the hash of one of these notes differs, none is deleted (409).',
    }),
  ),
});

export const VersionParams = Type.Object({ id: sentId(), version: Type.String() });
export const VersionsResponse = Type.Object({ versions: Type.Array(NoteVersion) });
export type VersionsResponse = Static<typeof VersionsResponse>;
export const TagsResponse = Type.Object({ tags: Type.Array(Counted) });
export type TagsResponse = Static<typeof TagsResponse>;
export const TypesResponse = Type.Object({ types: Type.Array(Counted) });
