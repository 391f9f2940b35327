import { isUnspaced } from '@notevault/note-text/words/classes.ts';
import { tagTerm, titleTerm } from '../analysis/terms.ts';
import type { Query } from '../query/query-parser.ts';
import { prefixTerms } from '../query/vocabulary.ts';
import { PARAMETERS } from './bm25f.ts';
import type { FirstPass } from './first-pass.ts';

/** Maximum number of titles that begin with the typed text. */
const MAX_TITLES = 32;
/** Fewer letters begin too many titles. */
const MIN_TITLE_START = 3;
const MIN_UNSPACED_START = 2;

/**
 * Gives notes as a bonus the share of the distance to the best score that they gain: the title is the query or begins
 * with it, or the note has a tag of the query.
 */
export function addBonuses(passes: readonly FirstPass[], query: Query): void {
  const add = (term: string, bonus: number) => {
    for (const pass of passes) {
      const reader = pass.segment.postings(term);
      while (reader?.next()) pass.addBonus(reader.note, bonus);
    }
  };
  for (const tag of query.tags) add(tagTerm(tag), PARAMETERS.tag);
  const words = [...query.words, ...query.phrases.flatMap((phrase) => phrase.words)].map(({ word }) => word);
  if (words.length === 0) return;
  const whole = titleTerm(words);
  add(whole, PARAMETERS.wholeTitle);
  const least = words.some(isUnspaced) ? MIN_UNSPACED_START : MIN_TITLE_START;
  if (!query.lastWordIncomplete || words.join('').length < least) return;
  let left = MAX_TITLES;
  for (const title of prefixTerms(
    passes.map(({ segment }) => segment),
    whole,
  )) {
    if (title !== whole) add(title, PARAMETERS.titleStart);
    if (--left === 0) break;
  }
}
