import { isUnspaced } from '@notevault/note-text/words/classes.ts';
import { functionWordLanguages } from '@notevault/note-text/words/function-words.ts';
import type { Language } from '@notevault/note-text/words/languages.ts';
import type { SpelledWord } from '@notevault/note-text/words.ts';
import { partsOfTerm } from '../analysis/terms.ts';
import type { Segment } from '../index/segment.ts';
import { expandWord } from '../query/query-expansion.ts';
import type { Phrase, Query } from '../query/query-parser.ts';
import { countNotesWithAny, exactTerms, languagesIn, termsStartingWith } from '../query/vocabulary.ts';
import { PARAMETERS, type QueryTerm } from './bm25f.ts';

/** Returns the query with the words of phrases in place of the phrases. */
export function relaxedQuery(query: Query, phrases: readonly Phrase[]): Query {
  if (phrases.length === 0) return query;
  const words = new Map([...query.words, ...phrases.flatMap((phrase) => phrase.words)].map((own) => [own.word, own]));
  return {
    ...query,
    words: [...words.values()],
    lastWordIncomplete: query.lastWordIncomplete && words.size === query.words.length,
    phrases: query.phrases.filter((phrase) => !phrases.includes(phrase)),
  };
}

/** Returns the words of a query and of its phrases, with their terms in the vault. */
export function queryTerms(segments: readonly Segment[], query: Query): QueryTerm[] {
  const languages = languagesIn(segments);
  const spelled = withUnfinishedWord(segments, query);
  const last = spelled.length - 1;
  const areFunctionWords = spelled.map((word) => isFunctionWordIn(segments, word, languages.all));
  const hasContentWords = query.phrases.length > 0 || areFunctionWords.includes(false);
  const terms: QueryTerm[] = spelled.map((word, index) => ({
    variants: expandWord(segments, word, query.lastWordIncomplete && index === last, languages),
    share: hasContentWords && areFunctionWords[index] === true ? PARAMETERS.functionWord : 1,
    idf: 0,
  }));
  const words = new Set(spelled.map(({ word }) => word));
  for (const { word } of query.phrases.flatMap((phrase) => phrase.words)) {
    if (words.has(word)) continue;
    words.add(word);
    const variants = exactTerms(segments, word).map((term) => ({ term, weight: 1, namesOnly: false }));
    terms.push({ variants, share: 1, idf: 0 });
  }
  return terms;
}

/** Maximum number of pieces of an unfinished word that are tried as one word. */
const MAX_PIECES = 4;

/**
 * Returns the words of a query. In scripts without spaces a dictionary cuts an unfinished word in pieces: those that no
 * note has as words, but a word of the vault begins with when they are put together, are one word.
 */
function withUnfinishedWord(segments: readonly Segment[], { words, lastPieces }: Query): readonly SpelledWord[] {
  const tail = lastPieces.slice(-MAX_PIECES).map((piece) => piece.word);
  if (tail.length < 2 || !isUnspaced(tail.at(-1) ?? '')) return words;
  const areKnown = tail.map((word) => exactTerms(segments, word).length > 0);
  for (let from = 0; from < tail.length - 1; from++) {
    const pieces = tail.slice(from);
    if (!pieces.every(isUnspaced) || !areKnown.includes(false, from)) continue;
    const word = pieces.join('');
    if (termsStartingWith(segments, word).next().done === true) continue;
    return [...words.filter((own) => !pieces.includes(own.word)), { word, written: word }];
  }
  return words;
}

/**
 * Returns whether a word is a function word of the language in which most notes have it: `die` is one where notes are
 * in German, and none where they are in English.
 */
export function isFunctionWordIn(
  segments: readonly Segment[],
  { word, written }: SpelledWord,
  languages: readonly Language[],
): boolean {
  const own = functionWordLanguages(written);
  if (own.size === 0) return false;
  const terms = exactTerms(segments, word);
  const isOwn = (language: Language) => own.has(language) || language === 'latin' || hasOtherScript(language);
  // A word that no note has says nothing about their subject, but must be one of their languages.
  if (terms.length === 0)
    return [...own].some((language) => hasOtherScript(language) || languages.some((l) => l === language));
  const asFunctionWord = terms.filter((term) => isOwn(partsOfTerm(term).language));
  if (asFunctionWord.length === terms.length) return true;
  return 2 * countNotesWithAny(segments, asFunctionWord) >= countNotesWithAny(segments, terms);
}

/** Languages that share neither alphabet nor words with those that are detected. */
function hasOtherScript(language: string): boolean {
  return ['none', 'ar', 'fa', 'he', 'ja', 'ko', 'th', 'zh'].includes(language);
}
