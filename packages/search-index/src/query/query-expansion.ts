import { isUnspaced } from '@notevault/note-text/words/classes.ts';
import { type Language, languageOf, stem } from '@notevault/note-text/words/languages.ts';
import { FILTER_TERMS_END, LANGUAGE_TERM_PREFIX, wordOfTerm, wordTerm, wordTermPrefix } from '../analysis/terms.ts';
import type { Segment } from '../index/segment.ts';

/** A term of the vault that matches a word of the query. */
export interface TermVariant {
  readonly term: string;
  /** The factor of an occurrence: 1 for the word itself. */
  readonly weight: number;
  /** Whether it counts only in titles, headings and labels. */
  readonly namesOnly: boolean;
}

const WEIGHTS = {
  exact: 1,
  stem: 0.9,
  substring: 0.6,
  prefix: 0.6,
  completion: 0.5,
  oneEdit: 0.5,
  twoEdits: 0.3,
} as const;
/** The least weight of the word itself and its inflected forms. */
export const MIN_FORM_WEIGHT = WEIGHTS.stem;
/** The most terms that one step of the expansion adds. */
const MAX_TERMS_PER_STEP = 64;

/**
 * Returns the terms that a word of a query matches, step by step: the word itself, its inflected forms and, in scripts
 * without spaces, words that contain it, because a dictionary segments the same text differently in other contexts. Where
 * no live note has any of these: words that begin with it, and words one edit away (from 4 letters) or two (from 8).
 *
 * @param incomplete whether the word may be unfinished: words that begin with it then match in names.
 */
export function expandWord(segments: readonly Segment[], word: string, incomplete: boolean): TermVariant[] {
  const variants = new TermVariants();
  const unspaced = isUnspaced(word);
  const letters = [...word].length;
  variants.add(exactTerms(segments, word), WEIGHTS.exact);
  variants.add(termsWithSameStem(segments, word), WEIGHTS.stem);
  if (unspaced && word.length > 1) variants.addFirst(termsContaining(segments, word), WEIGHTS.substring);
  if (variants.isEmpty) {
    if (letters >= (unspaced ? 1 : 3)) variants.addFirst(termsStartingWith(segments, word), WEIGHTS.prefix);
    for (const [term, edits] of fuzzyTerms(segments, word, letters)) {
      variants.add([term], edits === 1 ? WEIGHTS.oneEdit : WEIGHTS.twoEdits);
    }
  }
  if (incomplete && letters >= (unspaced ? 1 : 2)) {
    variants.addFirst(termsStartingWith(segments, word), WEIGHTS.completion, true);
  }
  return variants.sorted();
}

/** The variants of a word. A term keeps the weight with which it was first added. */
class TermVariants {
  readonly #variants = new Map<string, TermVariant>();

  get isEmpty(): boolean {
    return this.#variants.size === 0;
  }

  add(terms: Iterable<string>, weight: number, namesOnly = false): void {
    for (const term of terms) {
      if (!this.#variants.has(term)) this.#variants.set(term, { term, weight, namesOnly });
    }
  }

  /** Adds the first terms that are new, as many as one step may add. */
  addFirst(terms: Iterable<string>, weight: number, namesOnly = false): void {
    let left = MAX_TERMS_PER_STEP;
    for (const term of terms) {
      if (this.#variants.has(term)) continue;
      this.#variants.set(term, { term, weight, namesOnly });
      if (--left === 0) return;
    }
  }

  sorted(): TermVariant[] {
    return [...this.#variants.values()].sort((a, b) => (a.term < b.term ? -1 : 1));
  }
}

/** The terms of exactly this word, in whatever language a note has it. */
export function exactTerms(segments: readonly Segment[], word: string): string[] {
  return [...prefixTerms(segments, wordTermPrefix(word))].filter((term) => isLive(segments, term));
}

function termsWithSameStem(segments: readonly Segment[], word: string): string[] {
  const keys = languagesFor(segments, word).map((language) => wordTerm(stem(word, language), language));
  const terms = keys.flatMap((key) => segments.flatMap((segment) => segment.withStem(key)));
  return distinctSorted(terms).filter((term) => isLive(segments, term));
}

/** The languages of the vault that may inflect this word. */
function languagesFor(segments: readonly Segment[], word: string): Language[] {
  const alphabet = languageOf(word, { latin: 'en', cyrillic: 'ru' });
  if (alphabet !== 'en') return alphabet === 'ru' ? ['ru'] : [];
  const terms = [...prefixTerms(segments, LANGUAGE_TERM_PREFIX)];
  const languages = terms.map((term) => term.slice(LANGUAGE_TERM_PREFIX.length) as Language);
  return languages.filter((language) => language !== 'ru' && language !== 'none');
}

/**
 * Whether a live note has the term. Terms that only deleted notes have must not count; otherwise results would change
 * when the index is rebuilt without them.
 */
function isLive(segments: readonly Segment[], term: string): boolean {
  return segments.some((segment) => {
    const reader = segment.postings(term);
    while (reader?.next()) if (segment.deleted[reader.note] !== 1) return true;
    return false;
  });
}

/** Live terms whose words begin with a word. */
function* termsStartingWith(segments: readonly Segment[], word: string): Generator<string> {
  for (const term of prefixTerms(segments, word)) if (isLive(segments, term)) yield term;
}

/** All terms with a prefix, in order, each once. */
function* prefixTerms(segments: readonly Segment[], prefix: string): Generator<string> {
  const cursors = segments.map(({ terms }) => ({ terms, index: terms.lowerBound(prefix) }));
  for (;;) {
    let least: string | undefined;
    for (const { terms, index } of cursors) {
      if (index >= terms.length) continue;
      const term = terms.at(index);
      if (term.startsWith(prefix) && (least === undefined || term < least)) least = term;
    }
    if (least === undefined) return;
    yield least;
    for (const cursor of cursors)
      if (cursor.index < cursor.terms.length && cursor.terms.at(cursor.index) === least) cursor.index++;
  }
}

/** Live terms whose words contain a word. */
function* termsContaining(segments: readonly Segment[], word: string): Generator<string> {
  const found = segments.flatMap(({ terms }) => terms.containing(word));
  for (const term of distinctSorted(found)) {
    if (term >= FILTER_TERMS_END && wordOfTerm(term).includes(word) && isLive(segments, term)) yield term;
  }
}

/** Live terms a few edits away, with the number of edits, fewest first. Numbers have none. */
function fuzzyTerms(segments: readonly Segment[], word: string, letters: number): [string, number][] {
  const maxEdits = /^\p{N}+$/u.test(word) ? 0 : letters >= 8 ? 2 : letters >= 4 ? 1 : 0;
  if (maxEdits === 0) return [];
  const editsOf = new Map<string, number>();
  for (const segment of segments) for (const { term, edits } of segment.fuzzy(word, maxEdits)) editsOf.set(term, edits);
  return [...editsOf]
    .filter(([term]) => isLive(segments, term))
    .sort(([a, aEdits], [b, bEdits]) => aEdits - bEdits || (a < b ? -1 : 1))
    .slice(0, MAX_TERMS_PER_STEP);
}

function distinctSorted(terms: readonly string[]): string[] {
  return [...new Set(terms)].sort();
}
