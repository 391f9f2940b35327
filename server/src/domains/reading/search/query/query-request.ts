import { invalid } from '@notevault/protocol/errors.ts';
import { QUERY_LIMIT, QUERY_LIMIT_MAX, QUERY_OPERATORS, type QueryRequest } from '@notevault/protocol/queries.ts';
import { FILE_PREFIX, propertyKey } from '@notevault/search-index/analysis/note-facts.ts';
import type { Condition, ConditionOp } from '@notevault/search-index/properties/condition.ts';
import { DATE_COLUMNS, FILE_COLUMNS } from '@notevault/search-index/properties/note-reader.ts';
import type { PropertyQuery } from '@notevault/search-index/properties/query.ts';
import { looksLikeDate, spanOf, Zone } from '@notevault/search-index/properties/zone.ts';
import { type FieldErrors, folderOfRequest } from './search-request.ts';

/** A query that was checked and completed with the defaults. */
export interface CheckedQuery {
  readonly query: PropertyQuery;
  /** The columns as the request names them. */
  readonly columns: readonly string[];
  /** 1 to 500. */
  readonly limit: number;
}

const OPERATORS: readonly string[] = QUERY_OPERATORS satisfies readonly ConditionOp[];
const FILE_NAMES: readonly string[] = FILE_COLUMNS;
const NAME_LENGTH_MAX = 100;
const VALUE_LENGTH_MAX = 1024;
const utc = new Zone('UTC');

type WhereItem = NonNullable<NonNullable<QueryRequest['where']>[number]>;

/** Checks a query, except for its cursor. Throws a validation error that names every faulty field. */
export function checkQuery(request: QueryRequest): CheckedQuery {
  const errors: FieldErrors = {};
  const report = (field: string, message: string) => {
    errors[field] = [...(errors[field] ?? []), message];
  };
  const where = (request.where ?? []).map((item, at) =>
    conditionOf(item, (message) => report('where', `${at + 1}: ${message}`)),
  );
  const sort = (request.sort ?? []).map(({ by, dir }) => {
    if (!['asc', 'desc', null, undefined].includes(dir)) report('sort', 'dir must be asc or desc');
    return { by: nameOf(by, (message) => report('sort', message)), descending: dir === 'desc' };
  });
  const match = request.match ?? 'all';
  if (match !== 'all' && match !== 'any') report('match', 'must be all or any');
  const mentioned = [
    ...(request.where ?? []).map(({ property }) => property),
    ...(request.sort ?? []).map(({ by }) => by),
  ];
  const shown = withoutRepeats(request.columns ?? mentioned);
  const columns = shown.map((name) =>
    nameOf(name, (message) => {
      // Faulty names of conditions are reported with those.
      if (request.columns != null) report('columns', message);
    }),
  );
  const folder = folderOfRequest(request.folder ?? null, errors);
  const zone = request.tz ?? 'UTC';
  if (!isZone(zone)) report('tz', 'must be a time zone such as Europe/Berlin');
  if (Object.keys(errors).length > 0) throw invalid(errors);
  const tags = request.tags == null || request.tags.length === 0 ? null : request.tags;
  return {
    query: {
      where: where.filter((condition) => condition !== null),
      match: match as PropertyQuery['match'],
      folder,
      tags,
      columns,
      sort: sort.length === 0 ? [{ by: 'file.path', descending: false }] : sort,
      zone,
    },
    columns: shown,
    limit: Math.min(QUERY_LIMIT_MAX, Math.max(1, Math.round(request.limit ?? QUERY_LIMIT))),
  };
}

function conditionOf({ property, op, value }: WhereItem, report: (message: string) => void): Condition | null {
  const name = nameOf(property, report);
  if (!OPERATORS.includes(op)) {
    report(`op must be one of ${OPERATORS.join(', ')}`);
    return null;
  }
  const condition = { property: name, op: op as ConditionOp };
  if (op === 'exists' || op === 'missing') return { ...condition, value: null };
  if (
    typeof value !== 'string' &&
    typeof value !== 'boolean' &&
    !(typeof value === 'number' && Number.isFinite(value))
  ) {
    report('value must be a text, a number or a boolean');
    return null;
  }
  if (typeof value === 'string' && value.length > VALUE_LENGTH_MAX) {
    report(`value must have at most ${VALUE_LENGTH_MAX} characters`);
    return null;
  }
  if (op !== 'contains' && isBadDate(name, value)) {
    report('value must be an ISO 8601 date or date-time');
    return null;
  }
  return { ...condition, value };
}

/** Whether a date is wanted, or meant, and the value is none. */
function isBadDate(name: string, value: string | number | boolean): boolean {
  const isDate = typeof value === 'string' && spanOf(value, utc) !== null;
  if (DATE_COLUMNS.includes(name)) return !isDate;
  return typeof value === 'string' && looksLikeDate(value) && !isDate;
}

function nameOf(written: string, report: (message: string) => void): string {
  const key = propertyKey(written.trim());
  if (key === '' || key.length > NAME_LENGTH_MAX) report(`a name must have 1 to ${NAME_LENGTH_MAX} characters`);
  if (key.startsWith(FILE_PREFIX) && !FILE_NAMES.includes(key))
    report(`the names of files are ${FILE_NAMES.join(', ')}`);
  return key;
}

function withoutRepeats(names: readonly string[]): string[] {
  return [...new Map(names.map((name) => [propertyKey(name.trim()), name.trim()])).values()];
}

function isZone(name: string): boolean {
  try {
    return new Zone(name) !== null;
  } catch {
    return false;
  }
}
