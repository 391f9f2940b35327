import { spelledWordsOf } from '@notevault/note-text/words.ts';
import type { VaultIndex } from '../index/vault-index.ts';
import { countNotesWithAny, exactTerms, languagesIn, type VaultLanguages } from '../query/vocabulary.ts';
import { inverseDocumentFrequency, PARAMETERS } from './bm25f.ts';
import { isFunctionWordIn } from './query-terms.ts';

/** A word that no note has is the rarest, but no note can match it: at most parts of it match. */
const UNKNOWN_WORD = 0.5;

/**
 * Returns the inverse document frequency of each text among a vault's live notes: about 1 for a word that a third of
 * them have, more for rarer ones, little for function words. A text of several words is as rare as its rarest word.
 */
export function idfsOf(index: VaultIndex, texts: readonly string[]): number[] {
  const { all: languages } = languagesIn(index.segments);
  return texts.map((text) => idfOf(index, text, languages));
}

function idfOf({ noteCount, segments }: VaultIndex, text: string, languages: VaultLanguages['all']): number {
  const idfs = spelledWordsOf(text).map((own) => {
    const matching = countNotesWithAny(segments, exactTerms(segments, own.word));
    const share = isFunctionWordIn(segments, own, languages) ? PARAMETERS.functionWord : 1;
    const known = matching === 0 ? UNKNOWN_WORD : 1;
    return known * share * inverseDocumentFrequency(matching, noteCount);
  });
  return Math.max(0, ...idfs);
}
