import type { Span } from '../links/parsed-link.ts';
import { skipBlanks } from './block-starts.ts';

/**
 * Returns whether `row` is the delimiter row of a table (GitHub Flavored Markdown, section 4.10) whose header is
 * `header`.
 */
export function beginsTable(content: string, header: Span, row: Span): boolean {
  const columns = countDelimiters(content, row);
  return columns > 0 && splitRow(content, header).length === columns;
}

/**
 * Number of columns of the delimiter row `row`; 0 when it is none. A row of dashes only is an underline of a heading
 * instead.
 */
function countDelimiters(content: string, row: Span): number {
  let i = row.start;
  let marked = false;
  let columns = 0;
  if (content.charAt(i) === '|') {
    marked = true;
    i++;
  }
  for (i = skipBlanks(content, i, row.end); i < row.end; i = skipBlanks(content, i, row.end)) {
    const start = content.charAt(i) === ':' ? i + 1 : i;
    let end = start;
    while (end < row.end && content.charAt(end) === '-') end++;
    if (end === start) return 0;
    const after = end < row.end && content.charAt(end) === ':' ? end + 1 : end;
    marked ||= start > i || after > end;
    columns++;
    i = skipBlanks(content, after, row.end);
    if (i >= row.end) break;
    if (content.charAt(i) !== '|') return 0;
    marked = true;
    i++;
  }
  return marked ? columns : 0;
}

/**
 * Splits a table row into cells. A pipe does not split when it is escaped, nor inside `[[…]]`: there it separates the
 * alias, and a missing backslash must not cost the link.
 */
export function splitRow(content: string, row: Span): Span[] {
  let { start, end } = row;
  while (end > start && (content.charAt(end - 1) === ' ' || content.charAt(end - 1) === '\t')) end--;
  if (content.charAt(start) === '|') start++;
  const cells: Span[] = [];
  let cell = start;
  for (let i = start; i < end; i++) {
    const c = content.charAt(i);
    if (c === '\\') i++;
    else if (c === '|') {
      cells.push({ start: cell, end: i });
      cell = i + 1;
    } else if (c === '[' && content.charAt(i + 1) === '[') {
      i = wikilinkEnd(content, i, end);
    }
  }
  if (cell < end) cells.push({ start: cell, end });
  return cells;
}

/** Last offset of the wikilink at `at`; `at` itself when there is none. */
function wikilinkEnd(content: string, at: number, end: number): number {
  for (let i = at + 2; i + 1 < end; i++) {
    if (content.charAt(i) === ']' && content.charAt(i + 1) === ']') return i + 1;
    if (content.charAt(i) === '[') return at;
  }
  return at;
}
