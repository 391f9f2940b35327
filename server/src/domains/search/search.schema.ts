import { type Static, Type } from 'typebox';
import { Nullable, Uuid } from '../../http/schemas.ts';

const Bound = (of: string) =>
  Type.Optional(
    Nullable(
      Type.String({
        description: `ISO 8601 bound, inclusive, on ${of}; a bare date counts in UTC, as an upper bound to the end of the day.`,
      }),
    ),
  );

export const SearchRequest = Type.Object({
  query: Type.String({
    description: 'Words, `"exact phrase"`, `-word`, `tag:x`, `path:x`, `folder:x`, `title:x`. Not blank.',
  }),
  mode: Type.Optional(Nullable(Type.String({ description: '`keyword`, `vector` or `hybrid`; default `hybrid`.' }))),
  limit: Type.Optional(Nullable(Type.Number({ description: '1 to 50, default 5; clamped.' }))),
  diversity: Type.Optional(
    Nullable(Type.Number({ description: '0 (most relevant, default) to 1 (most varied); clamped.' })),
  ),
  tags: Type.Optional(
    Nullable(Type.Array(Type.String(), { description: 'Any of them; a tag covers those below it.' })),
  ),
  folder: Type.Optional(Nullable(Type.String({ description: 'With its subfolders.' }))),
  type: Type.Optional(Nullable(Type.String({ description: 'Frontmatter `type`, without regard to case.' }))),
  created_after: Bound('the frontmatter’s created date'),
  created_before: Bound('the frontmatter’s created date'),
  updated_after: Bound('the frontmatter’s timestamp'),
  updated_before: Bound('the frontmatter’s timestamp'),
  cross_vault: Type.Optional(
    Nullable(Type.Boolean({ description: 'Every vault the credential reaches; needs a plan that allows it.' })),
  ),
});
export type SearchRequest = Static<typeof SearchRequest>;

export const SearchResult = Type.Object({
  id: Uuid,
  path: Type.String(),
  title: Type.String(),
  folder: Type.String(),
  heading_path: Type.String({ description: 'The headings above what matched, outermost first, joined by ` > `.' }),
  snippet: Type.String({ description: 'At most 300 UTF-16 units of plain text around the best match.' }),
  highlights: Type.Array(Type.Array(Type.Integer(), { minItems: 2, maxItems: 2 }), {
    description: 'Start and end of each match in the snippet, in UTF-16 units.',
  }),
  match_count: Type.Integer({ description: 'How many pieces of the note match.' }),
  score: Type.Number({ minimum: 0, maximum: 1, description: 'Comparable within an answer.' }),
  vault_id: Type.Optional(Uuid),
  vault_name: Type.Optional(Type.String({ description: 'With `vault_id`, of results across vaults.' })),
});
export type SearchResult = Static<typeof SearchResult>;

export const SearchStatus = Type.Object({
  total: Type.Integer({ description: 'Live notes.' }),
  indexed: Type.Integer(),
  pending: Type.Integer(),
  failed: Type.Integer({ description: 'Notes that cannot be read.' }),
  model: Nullable(Type.String({ description: 'The embedding model; null without one.' })),
});
export type SearchStatus = Static<typeof SearchStatus>;
