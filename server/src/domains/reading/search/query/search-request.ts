import { parseTimestamp } from '@notevault/note-text/frontmatter/dates.ts';
import { normalizePath, PathError } from '@notevault/note-text/paths.ts';
import { invalid } from '@notevault/protocol/errors.ts';
import { SEARCH_MODES, type SearchRequest } from '@notevault/protocol/search.ts';
import type { DateRange, SearchFilter } from '@notevault/search-index/query/search-filter.ts';
import type { SearchMode } from '@notevault/search-index/ranking/hybrid.ts';

/** A request that was checked and completed with the defaults. */
export interface CheckedRequest {
  readonly query: string;
  readonly mode: SearchMode;
  /** 1 to 50. */
  readonly limit: number;
  /** 0 to 1. */
  readonly diversity: number;
  readonly filter: SearchFilter;
  readonly crossVault: boolean;
  /** The marks of notes that earlier pages returned. */
  readonly returned: ReadonlySet<string>;
}

const MODES: readonly string[] = SEARCH_MODES satisfies readonly SearchMode[];
const DEFAULT_LIMIT = 5;
const MAX_LIMIT = 50;
const DAY_MS = 24 * 60 * 60 * 1000;
const bareDate = /^\s*\d{4}-\d{1,2}-\d{1,2}\s*$/;

export type FieldErrors = Record<string, string[]>;

/** Checks all but the cursor, and fills in the defaults. Throws a validation error that names every faulty field. */
export function checkRequest(request: SearchRequest): Omit<CheckedRequest, 'returned'> {
  const errors: FieldErrors = {};
  if (request.query.trim() === '') errors.query = ["can't be blank"];
  const mode = request.mode ?? 'hybrid';
  if (!MODES.includes(mode)) errors.mode = [`must be one of ${MODES.join(', ')}`];
  const created = dateRangeOf(request, 'created', errors);
  const timestamp = dateRangeOf(request, 'updated', errors);
  const changed = dateRangeOf(request, 'changed', errors);
  const folder = folderOfRequest(request.folder ?? null, errors);
  if (Object.keys(errors).length > 0) throw invalid(errors);
  const { tags = null, type = null } = request;
  // An empty list of tags filters nothing.
  const wantedTags = tags === null || tags.length === 0 ? null : tags;
  return {
    query: request.query,
    mode: mode as SearchMode,
    limit: Math.min(MAX_LIMIT, Math.max(1, Math.round(request.limit ?? DEFAULT_LIMIT))),
    diversity: Math.min(1, Math.max(0, request.diversity ?? 0)),
    filter: { tags: wantedTags, folder, type, created, timestamp, changed },
    crossVault: request.cross_vault ?? false,
  };
}

function dateRangeOf(request: SearchRequest, name: DatedBy, errors: FieldErrors): DateRange {
  const from = dateOf(request, `${name}_after`, errors);
  const to = dateOf(request, `${name}_before`, errors);
  return { from: from?.start ?? null, to: to?.end ?? null };
}

type DatedBy = 'created' | 'updated' | 'changed';
type DateField = `${DatedBy}_${'after' | 'before'}`;

/** The first and last millisecond that a date names: a bare date names a whole day in UTC. */
function dateOf(request: SearchRequest, field: DateField, errors: FieldErrors): { start: number; end: number } | null {
  const text = request[field] ?? null;
  if (text === null) return null;
  const start = parseTimestamp(text);
  if (start === null) {
    errors[field] = ['must be an ISO 8601 date or date-time'];
    return null;
  }
  return { start, end: bareDate.test(text) ? start + DAY_MS - 1 : start };
}

/** The normalized path of a folder; null for none and for the root, which holds everything. */
export function folderOfRequest(folder: string | null, errors: FieldErrors): string | null {
  if (folder === null || folder.split(/[\\/]/).every((part) => part === '' || part === '.')) return null;
  try {
    return normalizePath(folder);
  } catch (error) {
    if (!(error instanceof PathError)) throw error;
    errors.folder = [error.message];
    return null;
  }
}
