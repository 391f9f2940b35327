import { FILTERS_END, wordOf } from './analyse.ts';
import { lowerBound, type TermList } from './segment.ts';

/** A term whose word is some edits away. */
export interface NearTerm {
  readonly term: string;
  readonly edits: number;
}

/**
 * Terms whose words are at most `most` edits away: a letter more, less, another, or two neighbours exchanged (optimal
 * string alignment). The list is walked as the tree it is: rows of the distance table are kept for what neighbours begin
 * with, and a beginning that cannot lead anywhere is left out with all that begins so.
 */
export function nearTerms(list: TermList, word: string, most: number): NearTerm[] {
  const found: NearTerm[] = [];
  const width = word.length + 1;
  const rows: Uint8Array[] = [Uint8Array.from({ length: width }, (_, at) => at)];
  const least: number[] = [0];
  let before = '';
  for (let index = lowerBound(list, FILTERS_END); index < list.length; ) {
    const term = list.at(index);
    const candidate = wordOf(term);
    let depth = sharedLength(before, candidate);
    let alive = true;
    for (; depth < candidate.length && alive; depth++) {
      least[depth + 1] = fillRow(rows, depth, candidate, word);
      alive = (least[depth + 1] ?? 0) <= most || (least[depth] ?? 0) + 1 <= most;
    }
    before = candidate.slice(0, depth);
    if (alive) {
      const edits = rows[candidate.length]?.[word.length] ?? 0;
      if (edits <= most) found.push({ term, edits });
      index += 1;
    } else {
      index = nextBeyond(list, index, before);
    }
  }
  return found;
}

/** The first term after `from` that does not begin with `prefix`. Looks near first: most beginnings have few terms. */
function nextBeyond(list: TermList, from: number, prefix: string): number {
  let low = from;
  let step = 1;
  while (low + step < list.length && list.at(low + step).startsWith(prefix)) {
    low += step;
    step *= 2;
  }
  // The term at `low` begins so, the one a step on does not, or is none.
  let high = Math.min(low + step, list.length);
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (list.at(middle).startsWith(prefix)) low = middle;
    else high = middle;
  }
  return high;
}

/** Fills the row of the candidate's first `depth + 1` units; resolves to its least number. */
function fillRow(rows: Uint8Array[], depth: number, candidate: string, word: string): number {
  const width = word.length + 1;
  const above = rows[depth] ?? new Uint8Array(width);
  const aboveThat = rows[depth - 1];
  rows[depth + 1] ??= new Uint8Array(width);
  const row = rows[depth + 1] ?? new Uint8Array(width);
  const unit = candidate.charCodeAt(depth);
  const last = candidate.charCodeAt(depth - 1);
  row[0] = depth + 1;
  let least = depth + 1;
  for (let at = 1; at < width; at++) {
    const own = word.charCodeAt(at - 1);
    let edits = Math.min((above[at] ?? 0) + 1, (row[at - 1] ?? 0) + 1, (above[at - 1] ?? 0) + (own === unit ? 0 : 1));
    if (aboveThat !== undefined && at > 1 && own === last && word.charCodeAt(at - 2) === unit)
      edits = Math.min(edits, (aboveThat[at - 2] ?? 0) + 1);
    row[at] = edits;
    if (edits < least) least = edits;
  }
  return least;
}

function sharedLength(a: string, b: string): number {
  const most = Math.min(a.length, b.length);
  let at = 0;
  while (at < most && a.charCodeAt(at) === b.charCodeAt(at)) at++;
  return at;
}
