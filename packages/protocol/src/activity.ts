import { type Static, Type } from 'typebox';
import { Actor, Nullable, queryFlag, sent, Timestamp, Unchecked, Uuid } from './values/schemas.ts';

export const ACTIVITY_ACTIONS = [
  ...(['write', 'delete', 'move', 'restore', 'import', 'undo', 'people', 'purge'] as const),
];
export type ActivityAction = (typeof ACTIVITY_ACTIONS)[number];
const Action = Type.Unsafe<ActivityAction>(
  Type.Enum(ACTIVITY_ACTIONS, {
    description:
      '`write` creates and edits; `people` changes who has the vault; `purge` deletes from the trash for good.',
  }),
);

export const DifferencePiece = Type.Object({
  kind: Type.Unsafe<'same' | 'added' | 'removed'>(Type.Enum(['same', 'added', 'removed'])),
  text: Type.String(),
});
export type DifferencePiece = Static<typeof DifferencePiece>;

const OPS = ['create', 'edit', 'delete', 'move', 'restore'] as const;

export const ActivityChange = Type.Object({
  op: Type.Unsafe<(typeof OPS)[number]>(Type.Enum([...OPS])),
  kind: Type.Unsafe<'note' | 'attachment' | 'folder'>(Type.Enum(['note', 'attachment', 'folder'])),
  id: Uuid,
  path: Type.String({ description: 'The path after the change.' }),
  from: Type.Optional(Type.String({ description: 'Moves: the path before.' })),
  versions: Type.Optional(
    Type.Object({ before: Nullable(Type.Integer()), after: Type.Integer() }, { description: 'Texts of notes.' }),
  ),
  difference: Type.Optional(
    Type.Array(DifferencePiece, { description: 'Word by word; absent where a text is no longer stored.' }),
  ),
});
export type ActivityChange = Static<typeof ActivityChange>;

const PEOPLE = ['joined', 'role_changed', 'removed', 'left', 'handed_over'] as const;

export const ActivityItem = Type.Object({
  id: Uuid,
  at: Type.String({ format: 'date-time', description: 'The last change.' }),
  began: Timestamp,
  actor: Actor,
  action: Action,
  count: Type.Integer({ description: 'Number of changes; of a move or an import, of notes and attachments.' }),
  paths: Type.Array(Type.String(), { description: 'At most 20, the last first.' }),
  relinked: Type.Optional(Type.Integer({ description: 'Moves: number of notes whose links follow.' })),
  people: Type.Optional(
    Type.Object({
      change: Type.Unsafe<(typeof PEOPLE)[number]>(Type.Enum([...PEOPLE])),
      user_id: Uuid,
      display_name: Type.Optional(Nullable(Type.String())),
    }),
  ),
  undoes: Type.Optional(Type.String({ format: 'uuid', description: 'The item that this one undid.' })),
  undone_by: Nullable(Type.String({ format: 'uuid', description: 'The item that undid this one, if any.' })),
  undoable: Type.Boolean({ description: 'Whether the caller may undo it.' }),
  changes: Type.Optional(Type.Array(ActivityChange, { description: 'With `diffs`: at most 20, the last first.' })),
});
export type ActivityItem = Static<typeof ActivityItem>;

export const ActivityQuery = Type.Object({
  cursor: Type.Optional(Type.String({ description: 'The `next_cursor` of the page before.' })),
  actor: Type.Optional(Type.String({ format: 'uuid', description: 'Only what this person did.' })),
  action: Type.Optional(Action),
  since: Type.Optional(Type.String({ format: 'date-time', description: 'Only what was done after this time.' })),
  note: Type.Optional(Type.String({ format: 'uuid', description: 'Only what changed this note.' })),
  limit: Type.Optional(Type.String({ description: '1 to 100. Default 50, and 20 with `diffs`.' })),
  diffs: queryFlag('Whether to add the changes with their differences, at most 4 KB an item.'),
});
export type ActivityQuery = Static<typeof ActivityQuery>;

export const ActivityPage = Type.Object({
  items: Type.Array(ActivityItem, { description: 'The last first.' }),
  next_cursor: Nullable(Type.String({ description: 'Cursor of the next page; null on the last page.' })),
});
export type ActivityPage = Static<typeof ActivityPage>;

export const UndoActivity = Unchecked<{ dry_run?: unknown }>({ dry_run: sent(Nullable(Type.Boolean())) });

export const LEFT_REASONS = [
  ...(['history_thinned', 'shared_edit', 'changed_by_others', 'path_taken', 'trash_full', 'unreadable'] as const),
];
export const ActivityUndone = Type.Object({
  undone: Type.Integer({ description: 'Number of entries that are, or would be, as they were before.' }),
  merged: Type.Integer({ description: 'Those among them that keep later changes.' }),
  left: Type.Array(
    Type.Object({
      path: Type.String(),
      reason: Type.Unsafe<(typeof LEFT_REASONS)[number]>(Type.Enum(LEFT_REASONS)),
    }),
  ),
  item: Nullable(Type.String({ format: 'uuid', description: 'The item of the undo; null for a dry run.' })),
  changes: Type.Optional(Type.Array(ActivityChange, { description: 'Dry runs: what would change, at most 20.' })),
});
export type ActivityUndone = Static<typeof ActivityUndone>;
