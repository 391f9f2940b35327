import { isUnspaced } from '@notevault/note-text/words/classes.ts';
import { tagTerm, titleTerm } from '../analysis/terms.ts';
import type { Segment } from '../index/segment.ts';
import type { Query } from '../query/query-parser.ts';
import { prefixTerms } from '../query/vocabulary.ts';
import { PARAMETERS } from './bm25f.ts';

/** So many titles may begin with what was typed so far. */
const MAX_TITLES = 32;
/** Fewer letters begin too many titles. */
const MIN_TITLE_START = 3;
const MIN_UNSPACED_START = 2;

/**
 * Adds for each note the share of the distance to the best score that it gains: its title is the query or begins with
 * it, or it has a tag of the query.
 *
 * @param bonuses for each segment one number a note.
 */
export function addBonuses(segments: readonly Segment[], query: Query, bonuses: readonly Float64Array[]): void {
  const add = (term: string, bonus: number) => {
    segments.forEach((segment, at) => {
      addBonus(segment, term, bonus, bonuses[at] ?? new Float64Array());
    });
  };
  for (const tag of query.tags) add(tagTerm(tag), PARAMETERS.tag);
  const words = [...query.words, ...query.phrases.flatMap((phrase) => phrase.words)].map(({ word }) => word);
  if (words.length === 0) return;
  const whole = titleTerm(words);
  add(whole, PARAMETERS.wholeTitle);
  const least = words.some(isUnspaced) ? MIN_UNSPACED_START : MIN_TITLE_START;
  if (!query.lastWordIncomplete || words.join('').length < least) return;
  let left = MAX_TITLES;
  for (const title of prefixTerms(segments, whole)) {
    if (title !== whole) add(title, PARAMETERS.titleStart);
    if (--left === 0) break;
  }
}

function addBonus(segment: Segment, term: string, bonus: number, bonuses: Float64Array): void {
  const reader = segment.postings(term);
  while (reader?.next()) bonuses[reader.note] = Math.max(bonuses[reader.note] ?? 0, bonus);
}
