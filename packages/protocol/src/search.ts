import { type Static, Type } from 'typebox';
import { documented, Nullable, Uuid } from './values/schemas.ts';

const Bound = (of: string) =>
  Type.Optional(
    Nullable(
      Type.String({
        description: `ISO 8601 bound, inclusive, on ${of}. A bare date is a day in UTC; as an upper bound it includes the whole day.`,
      }),
    ),
  );

export const SEARCH_MODES = ['keyword', 'vector', 'hybrid'] as const;

export const SearchRequest = Type.Object({
  query: Type.String({
    description:
      'Words, `"exact phrase"`, `+"required phrase"`, `-word`, `#tag`, `tag:x`, `path:x`, `folder:x`, `title:x`. Not blank. At most 64 words count.',
  }),
  mode: Type.Optional(
    Nullable(
      Type.String({
        description: '`keyword`, `vector` or `hybrid`; default `hybrid`.',
        ...documented({ enum: [...SEARCH_MODES, null] }),
      }),
    ),
  ),
  limit: Type.Optional(Nullable(Type.Number({ description: '1 to 50, default 5. Other numbers are clamped.' }))),
  diversity: Type.Optional(
    Nullable(
      Type.Number({ description: '0 (most relevant, the default) to 1 (most diverse). Other numbers are clamped.' }),
    ),
  ),
  tags: Type.Optional(
    Nullable(
      Type.Array(Type.String(), { description: 'Notes with any of these tags, or with a tag below one of them.' }),
    ),
  ),
  folder: Type.Optional(Nullable(Type.String({ description: 'A folder, with its subfolders.' }))),
  type: Type.Optional(Nullable(Type.String({ description: 'The `type` of the frontmatter, in any case.' }))),
  created_after: Bound('the frontmatter’s created date'),
  created_before: Bound('the frontmatter’s created date'),
  updated_after: Bound('the frontmatter’s timestamp'),
  updated_before: Bound('the frontmatter’s timestamp'),
  changed_after: Bound('the time of the last change'),
  changed_before: Bound('the time of the last change'),
  cross_vault: Type.Optional(
    Nullable(
      Type.Boolean({ description: 'Search all vaults that the credential has access to. The plan must allow it.' }),
    ),
  ),
  cursor: Type.Optional(
    Nullable(
      Type.String({
        description:
          'The `next_cursor` of the page before, for ten minutes and with the same other fields except `limit`.',
      }),
    ),
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
  match_count: Type.Integer({ description: 'Number of parts of the note that match.' }),
  score: Type.Number({ minimum: 0, maximum: 1, description: 'Scores of one answer can be compared.' }),
  vault_id: Type.Optional(Uuid),
  vault_name: Type.Optional(Type.String({ description: 'With `vault_id`, in results of a cross-vault search.' })),
});
export type SearchResult = Static<typeof SearchResult>;

export const SearchStatus = Type.Object({
  total: Type.Integer({ description: 'Live notes.' }),
  indexed: Type.Integer(),
  pending: Type.Integer(),
  failed: Type.Integer({ description: 'Notes that cannot be read.' }),
  model: Nullable(Type.String({ description: 'The embedding model; null without one.' })),
  vectors: Type.Optional(
    Type.Literal('on_demand', {
      description: 'The vault gets vectors with the first search in mode `vector` or with `diversity`.',
    }),
  ),
});
export type SearchStatus = Static<typeof SearchStatus>;

/** Further results have no page. */
export const SEARCH_RESULTS_MAX = 1000;

export const PartialSearch = Type.Object(
  { indexed: Type.Integer(), total: Type.Integer() },
  {
    description:
      'Set while the index of a large vault is being made: only so many of its notes were searched, among them the newest. A later search has all.',
  },
);
export type PartialSearch = Static<typeof PartialSearch>;

export const SearchResponse = Type.Object({
  results: Type.Array(SearchResult),
  next_cursor: Nullable(
    Type.String({ description: 'Cursor of the next page; null on the last page, and after 1,000 results.' }),
  ),
  relaxed: Type.Optional(
    Type.Array(Type.String(), {
      description: 'Phrases that no note has which passes the rest. Their words were searched instead.',
    }),
  ),
  partial: Type.Optional(PartialSearch),
});
export type SearchResponse = Static<typeof SearchResponse>;
