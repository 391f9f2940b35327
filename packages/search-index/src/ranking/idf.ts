import { wordsOf } from '@notevault/note-text/words.ts';
import type { Segment } from '../index/segment.ts';
import type { VaultIndex } from '../index/vault-index.ts';
import { exactTerms } from '../query/query-expansion.ts';
import { inverseDocumentFrequency } from './bm25f.ts';

/**
 * The inverse document frequency of a text among a vault's live notes: about 1 for a word that a third of them have, more
 * for rarer ones. A text of several words is as rare as its rarest word.
 */
export function idfOf({ noteCount, segments }: VaultIndex, text: string): number {
  const idfs = wordsOf(text).map((word) => {
    const terms = exactTerms(segments, word);
    const matching = segments.reduce((sum, segment) => sum + countNotesWithAny(segment, terms), 0);
    return inverseDocumentFrequency(matching, noteCount);
  });
  return Math.max(0, ...idfs);
}

/** Number of live notes of a segment that have any of the terms. */
function countNotesWithAny(segment: Segment, terms: readonly string[]): number {
  const seen = new Uint8Array(segment.size);
  let count = 0;
  for (const term of terms) {
    const reader = segment.postings(term);
    while (reader?.next()) {
      if (segment.deleted[reader.note] === 1 || seen[reader.note] === 1) continue;
      seen[reader.note] = 1;
      count++;
    }
  }
  return count;
}
