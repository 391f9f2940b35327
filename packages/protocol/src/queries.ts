import { type Static, Type } from 'typebox';
import { documented, Nullable, sent, Uuid } from './values/schemas.ts';

export const QUERY_OPERATORS = ['is', 'is_not', 'contains', 'lt', 'lte', 'gt', 'gte', 'exists', 'missing'] as const;

export const QUERY_LIMIT = 50;
export const QUERY_LIMIT_MAX = 500;

const Scalar = Type.Union([Type.String(), Type.Number(), Type.Boolean()]);

const Condition = Type.Object({
  property: Type.String({
    description:
      'A property of the frontmatter, in any case, or `file.name`, `file.path`, `file.folder`, `file.created`, `file.modified`, `file.size`, `file.tags`, `file.links`, `file.backlinks`.',
  }),
  op: Type.String({
    description:
      'Texts compare without regard to case. A list passes where any of its items does, `is_not` where none is the value. Values of unlike types never match; a note without the property passes only `is_not` and `missing`.',
    ...documented({ enum: QUERY_OPERATORS }),
  }),
  value: sent(
    Type.Unsafe<unknown>({
      ...Scalar,
      description:
        'Not for `exists` and `missing`. An ISO 8601 date or date-time is compared with dates: a bare date is the whole day. A number is compared with how many `file.links` or `file.backlinks` there are.',
    }),
  ),
});

const SortBy = Type.Object({
  by: Type.String({ description: 'As `property` of a condition. Notes without it come last.' }),
  dir: Type.Optional(
    Nullable(Type.String({ ...documented({ enum: ['asc', 'desc', null] }), description: 'Default `asc`.' })),
  ),
});

export const QueryRequest = Type.Object({
  where: Type.Optional(Nullable(Type.Array(Condition, { maxItems: 50 }))),
  match: Type.Optional(
    Nullable(
      Type.String({
        ...documented({ enum: ['all', 'any', null] }),
        description: 'How many conditions must hold; default `all`.',
      }),
    ),
  ),
  folder: Type.Optional(Nullable(Type.String({ description: 'A folder, with its subfolders.' }))),
  tags: Type.Optional(
    Nullable(
      Type.Array(Type.String(), {
        maxItems: 100,
        description: 'Notes with any of these tags, or with a tag below one of them.',
      }),
    ),
  ),
  columns: Type.Optional(
    Nullable(
      Type.Array(Type.String(), {
        maxItems: 30,
        description: 'What the rows show; default: what `where` and `sort` name.',
      }),
    ),
  ),
  sort: Type.Optional(Nullable(Type.Array(SortBy, { maxItems: 5, description: 'Default: by `file.path`.' }))),
  tz: Type.Optional(Nullable(Type.String({ description: 'The IANA time zone of dates without one; default UTC.' }))),
  limit: Type.Optional(
    Nullable(
      Type.Number({ description: `1 to ${QUERY_LIMIT_MAX}, default ${QUERY_LIMIT}. Other numbers are clamped.` }),
    ),
  ),
  cursor: Type.Optional(
    Nullable(
      Type.String({ description: 'The `next_cursor` of the page before, with the same other fields except `limit`.' }),
    ),
  ),
});
export type QueryRequest = Static<typeof QueryRequest>;

export const QueryRow = Type.Object({
  id: Uuid,
  path: Type.String(),
  values: Type.Array(
    Type.Unsafe<QueryValue>({ type: ['string', 'number', 'boolean', 'array', 'null'], items: Scalar }),
    {
      description:
        'One for each of `columns`, cut to 1 KB; null where the note has none. Dates of properties are as written.',
    },
  ),
});
export type QueryValue = string | number | boolean | readonly (string | number | boolean)[] | null;

export const QueryResponse = Type.Object({
  columns: Type.Array(Type.String()),
  rows: Type.Array(QueryRow),
  total: Type.Integer({ description: 'The number of notes that match, on all pages.' }),
  next_cursor: Nullable(Type.String({ description: 'Null on the last page.' })),
});
export type QueryResponse = Static<typeof QueryResponse>;
