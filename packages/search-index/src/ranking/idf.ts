import { wordsOf } from '@notevault/note-text/words.ts';
import { exactTerms } from './expand.ts';
import type { Segment } from './segment.ts';
import type { VaultIndex } from './vault-index.ts';

/**
 * How rare a word is among a vault's live notes, as BM25 has it: about 1 for one that a third of them have, more for rarer
 * ones. A word is as rare as the rarest of those the index makes of it.
 */
export function rarityOf({ notes, segments }: VaultIndex, text: string): number {
  const rarities = wordsOf(text).map((word) => {
    const terms = exactTerms(segments, word);
    const found = segments.reduce((sum, segment) => sum + notesWith(segment, terms), 0);
    return Math.log(1 + (notes - found + 0.5) / (found + 0.5));
  });
  return Math.max(0, ...rarities);
}

/** Live notes of a segment that have any of some terms. */
function notesWith(segment: Segment, terms: readonly string[]): number {
  const seen = new Uint8Array(segment.size);
  let count = 0;
  for (const term of terms) {
    const reader = segment.postings(term);
    while (reader?.next()) {
      if (segment.dead[reader.note] === 1 || seen[reader.note] === 1) continue;
      seen[reader.note] = 1;
      count++;
    }
  }
  return count;
}
