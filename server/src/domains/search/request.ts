import { parseTimestamp } from '@notevault/note-text/frontmatter/dates.ts';
import { normalizePath, PathError } from '@notevault/note-text/paths.ts';
import { invalid } from '@notevault/protocol/errors.ts';
import type { DateRange, SearchFilter } from '@notevault/search-index/query/search-filter.ts';
import type { SearchRequest } from './search.schema.ts';

export type Mode = 'keyword' | 'vector' | 'hybrid';

/** A request as the verbs take it. */
export interface SearchFor {
  readonly query: string;
  readonly mode: Mode;
  /** 1 to 50. */
  readonly limit: number;
  /** 0 to 1. */
  readonly diversity: number;
  readonly filter: SearchFilter;
  readonly crossVault: boolean;
}

const modes: readonly string[] = ['keyword', 'vector', 'hybrid'] satisfies Mode[];
const defaultLimit = 5;
const maxLimit = 50;
const bareDate = /^\s*\d{4}-\d{1,2}-\d{1,2}\s*$/;
const dayMs = 24 * 60 * 60 * 1000;

/** Checks a request and fills in what it leaves out. Throws a validation error that names every fault. */
export function searchFor(sent: SearchRequest): SearchFor {
  const faults: Record<string, string[]> = {};
  if (sent.query.trim() === '') faults.query = ["can't be blank"];
  const mode = sent.mode ?? 'hybrid';
  if (!modes.includes(mode)) faults.mode = [`must be one of ${modes.join(', ')}`];
  const dates = { created: boundsOf(sent, 'created', faults), timestamp: boundsOf(sent, 'updated', faults) };
  const folder = folderFrom(sent.folder ?? null, faults);
  if (Object.keys(faults).length > 0) throw invalid(faults);
  const { tags = null, type = null } = sent;
  return {
    ...{ query: sent.query, mode: mode as Mode, crossVault: sent.cross_vault ?? false },
    limit: Math.min(maxLimit, Math.max(1, Math.round(sent.limit ?? defaultLimit))),
    diversity: Math.min(1, Math.max(0, sent.diversity ?? 0)),
    // No tag to have is no wish.
    filter: { tags: tags === null || tags.length === 0 ? null : tags, folder, type, ...dates },
  };
}

function boundsOf(sent: SearchRequest, name: 'created' | 'updated', faults: Record<string, string[]>): DateRange {
  return {
    from: boundOf(sent, `${name}_after`, 0, faults),
    to: boundOf(sent, `${name}_before`, dayMs - 1, faults),
  };
}

type BoundName = `${'created' | 'updated'}_${'after' | 'before'}`;

function boundOf(
  sent: SearchRequest,
  name: BoundName,
  wholeDay: number,
  faults: Record<string, string[]>,
): number | null {
  const text = sent[name] ?? null;
  if (text === null) return null;
  const moment = parseTimestamp(text);
  if (moment === null) {
    faults[name] = ['must be an ISO 8601 date or date-time'];
    return null;
  }
  return bareDate.test(text) ? moment + wholeDay : moment;
}

/** The stored form of a folder; null for none, and for the root, which everything lies in. */
function folderFrom(sent: string | null, faults: Record<string, string[]>): string | null {
  if (sent === null || sent.split(/[\\/]/).every((part) => part === '' || part === '.')) return null;
  try {
    return normalizePath(sent);
  } catch (error) {
    if (!(error instanceof PathError)) throw error;
    faults.folder = [error.message];
    return null;
  }
}
