import { type Static, Type } from 'typebox';
import { DryRun, Nullable } from './values/schemas.ts';

/** Maximum number of notes that one request changes. */
export const CHANGED_NOTES_MAX = 5000;

const Plan = Type.Optional(
  Nullable(
    Type.String({
      description: 'The `plan` that a dry run answered; needed to write. `plan_changed` if it differs now.',
    }),
  ),
);

export const RenameTag = Type.Object({
  from: Type.String({ description: 'A tag, with or without `#`, in any case; those nested in it follow.' }),
  to: Type.String({ description: 'Its new name, which may be that of another tag.' }),
  dry_run: DryRun,
  plan: Plan,
});
export type RenameTag = Static<typeof RenameTag>;

export const ReplaceText = Type.Object({
  text: Type.String({
    description: '1 to 1,000 UTF-16 units; it is looked for as it is, also in code and frontmatter.',
  }),
  replacement: Type.String({ description: 'At most 10,000 UTF-16 units.' }),
  match_case: Type.Optional(Nullable(Type.Boolean({ description: 'Default false.' }))),
  whole_words: Type.Optional(Nullable(Type.Boolean({ description: 'Default false.' }))),
  folder: Type.Optional(Nullable(Type.String({ description: 'A folder, with its subfolders.' }))),
  dry_run: DryRun,
  plan: Plan,
});
export type ReplaceText = Static<typeof ReplaceText>;

const Excerpt = Type.Object({
  text: Type.String({
    description: 'The line around a place, as it reads before the change, with an ellipsis where it is cut.',
  }),
  start: Type.Integer({ description: 'Where in the line the place is, in UTF-16 units.' }),
  end: Type.Integer(),
});

export const VaultChange = Type.Object({
  plan: Type.String({ description: 'Stands for everything that would change, or has.' }),
  notes: Type.Array(
    Type.Object({
      path: Type.String(),
      count: Type.Integer({ description: 'Places in the note.' }),
      excerpts: Type.Array(Excerpt, { description: 'Around the first places.' }),
    }),
  ),
  changed: Type.Integer({ description: 'Number of notes that were written; 0 for a dry run.' }),
});
export type VaultChange = Static<typeof VaultChange>;
