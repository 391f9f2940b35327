import { differByPrefix, mayBeForms } from '@notevault/note-text/words/affixes.ts';
import { isUnspaced } from '@notevault/note-text/words/classes.ts';
import { functionWordLanguages } from '@notevault/note-text/words/function-words.ts';
import { type Language, languageOf, stem } from '@notevault/note-text/words/languages.ts';
import type { SpelledWord } from '@notevault/note-text/words.ts';
import { formKeys, isAffixLanguage, partsOfTerm, stemKeys, type WordOfTerm, wordOfTerm } from '../analysis/terms.ts';
import type { Segment } from '../index/segment.ts';
import {
  exactTerms,
  fuzzyTerms,
  termsContaining,
  termsStartingWith,
  termsWithKeys,
  type VaultLanguages,
} from './vocabulary.ts';

/** A term of the vault that matches a word of the query. */
export interface TermVariant {
  readonly term: string;
  /** Match weight; 1 for the word itself. */
  readonly weight: number;
  /** Whether it counts only in titles, headings and labels. */
  readonly namesOnly: boolean;
}

/** Tuned on the golden set, see docs/adr/0015-search.md. */
export const WEIGHTS = {
  exact: 1,
  /** Weight of a word that differs from the query only in accents. */
  accents: 0.6,
  affix: 0.8,
  stem: 0.5,
  /** The word is the beginning or the end of a compound. */
  compound: 0.4,
  substring: 0.6,
  prefix: 0.4,
  completion: 0.5,
  oneEdit: 0.7,
  twoEdits: 0.4,
};
/** The least weight of the word itself and its inflected forms. */
export const MIN_FORM_WEIGHT = WEIGHTS.stem;
/** Maximum number of terms that a word may match. */
export const MAX_VARIANTS = 32;

/** Maximum difference in length of two forms of a word, in letters. */
const MAX_ENDING = 6;

/** The shortest word that is looked for in compounds, and the shortest rest of the compound. */
const MIN_COMPOUND_PART = 4;

/**
 * Returns the terms that a word of a query matches: the word itself in all spellings, its inflected forms, the word with
 * articles and particles attached, compounds of it and, in scripts without spaces, words that contain it, because a
 * dictionary segments the same text differently in other contexts. Where no live note has any of these: words that begin
 * with it; where there are none, words one edit away (from 4 letters) or two (from 6).
 *
 * @param incomplete whether the word may be unfinished: words that begin with it then match in names.
 * @param languages those of the vault.
 */
export function expandWord(
  segments: readonly Segment[],
  query: SpelledWord,
  incomplete: boolean,
  languages: VaultLanguages,
): TermVariant[] {
  const { word } = query;
  const variants = new TermVariants();
  const unspaced = isUnspaced(word);
  const letters = [...word].length;
  addForms(variants, segments, query, languages.all);
  if (unspaced && word.length > 1) variants.add(termsContaining(segments, word), WEIGHTS.substring);
  addCompounds(variants, segments, query, languages.compounding);
  if (variants.isEmpty && letters >= (unspaced ? 1 : 3)) {
    variants.add(termsStartingWith(segments, word), WEIGHTS.prefix);
  }
  if (variants.isEmpty) {
    for (const [term, edits] of fuzzyTerms(segments, word, maxEditsOf(word, letters))) {
      variants.add([term], edits === 1 ? WEIGHTS.oneEdit : WEIGHTS.twoEdits);
    }
  }
  if (incomplete && letters >= (unspaced ? 1 : 2)) {
    variants.add(termsStartingWith(segments, word), WEIGHTS.completion, true);
  }
  return variants.best();
}

/** The variants of a word. A term keeps the weight with which it was first added. */
class TermVariants {
  readonly #variants = new Map<string, TermVariant>();

  get isEmpty(): boolean {
    return this.#variants.size === 0;
  }

  /** Adds terms that are new, as many as a word may match. */
  add(terms: Iterable<string>, weight: number, namesOnly = false): void {
    let left = MAX_VARIANTS;
    for (const term of terms) {
      if (this.#variants.has(term)) continue;
      this.#variants.set(term, { term, weight, namesOnly });
      if (--left === 0) return;
    }
  }

  /** Returns the variants that match best, in order of their terms. */
  best(): TermVariant[] {
    const all = [...this.#variants.values()].sort((a, b) => b.weight - a.weight || (a.term < b.term ? -1 : 1));
    return all.slice(0, MAX_VARIANTS).sort((a, b) => (a.term < b.term ? -1 : 1));
  }
}

/** Adds the word itself and its forms: in other spellings, inflected, and with affixes. */
function addForms(
  variants: TermVariants,
  segments: readonly Segment[],
  { word, written }: SpelledWord,
  languages: readonly Language[],
): void {
  const exact = exactTerms(segments, word);
  const spelled = written === word ? exact : exact.filter((term) => term.endsWith(`\0${written}`));
  // Accents that no note has are typing errors, and those that are not typed are left out on purpose.
  variants.add(spelled.length > 0 ? spelled : exact, WEIGHTS.exact);
  variants.add(exact, WEIGHTS.accents);
  const read = languagesToRead(word, languages);
  const keys = read.flatMap((language) => (language === 'none' ? [] : formKeys(word, language, written)));
  // Without accents the word may have another stem, which its spellings in the vault tell.
  const spellings = written === word ? exact.flatMap(stemKeys) : [];
  const ownFunction = functionWordLanguages(word);
  for (const term of termsWithKeys(segments, new Set([...keys, ...spellings]))) {
    const form = partsOfTerm(term);
    if (ownFunction.size === 0 && isFunctionWord(form)) continue;
    if (form.language === 'latin' && !isFormIn(read, written, form.written)) continue;
    if (form.language === 'ko' && !mayBeForms(word, form.word)) continue;
    variants.add([term], isSameWithAffix(form, word) ? WEIGHTS.affix : WEIGHTS.stem);
  }
}

/** Returns the languages of a vault in whose letters a word of a query is. */
function languagesToRead(word: string, languages: readonly Language[]): readonly Language[] {
  const own = languageOf(word, { latin: 'none', cyrillic: 'ru', arabic: 'ar' });
  if (own === 'ar') return languages.includes('fa') ? ['ar', 'fa'] : ['ar'];
  return own === 'none' ? languages.filter((language) => language !== 'ru' && language !== 'fa') : [own];
}

/** Returns whether two words have the same stem in one of the languages. */
function isFormIn(languages: readonly Language[], one: string, other: string): boolean {
  // Cheap tests first: forms differ by their endings, and in a few letters before these.
  if (Math.abs(one.length - other.length) > MAX_ENDING) return false;
  return languages.some((language) => language !== 'latin' && stem(one, language) === stem(other, language));
}

function isFunctionWord({ written, language }: WordOfTerm): boolean {
  const languages = functionWordLanguages(written);
  return language === 'latin' ? languages.size > 0 : languages.has(language);
}

function isSameWithAffix({ word: other, language }: WordOfTerm, word: string): boolean {
  if (!isAffixLanguage(language)) return false;
  return other.startsWith(word) || word.startsWith(other) || differByPrefix(word, other, language);
}

/** Adds compounds that begin or end with the word in any form. In Korean, nouns are compounded and take particles. */
function addCompounds(
  variants: TermVariants,
  segments: readonly Segment[],
  { word, written }: SpelledWord,
  languages: readonly Language[],
): void {
  if (languageOf(word, { latin: 'none', cyrillic: 'none', arabic: 'none' }) === 'ko') {
    const [noun = word] = formKeys(word, 'ko').map(wordOfTerm);
    if (noun.length > 1) variants.add(termsContaining(segments, noun), WEIGHTS.compound);
    return;
  }
  for (const language of languages) {
    const part = stem(written, language);
    if (part.length < MIN_COMPOUND_PART) continue;
    const compounds = termsContaining(segments, part).filter((term) => isCompoundOf(term, part, language));
    variants.add(compounds, WEIGHTS.compound);
  }
}

/** Returns whether the term's word begins with a stem or, without its own ending, ends with it. */
function isCompoundOf(term: string, part: string, language: Language): boolean {
  const rest = wordOfTerm(term).length - part.length;
  // Cheap tests first: a short stem occurs in many terms.
  if (rest < MIN_COMPOUND_PART - 1) return false;
  const { language: own, written } = partsOfTerm(term);
  if (own !== language && own !== 'latin') return false;
  return term.startsWith(part) ? rest >= MIN_COMPOUND_PART : stem(written, language).endsWith(part);
}

/** Numbers have no typing errors that could be told from other numbers. */
function maxEditsOf(word: string, letters: number): number {
  if (/^\p{N}+$/u.test(word)) return 0;
  return letters >= 6 ? 2 : letters >= 4 ? 1 : 0;
}
