import { LATIN_LANGUAGES, type Language } from '@notevault/note-text/words/languages.ts';
import { FILTER_TERMS_END, LANGUAGE_TERM_PREFIX, wordOfTerm, wordTermPrefix } from '../analysis/terms.ts';
import type { Segment, TermList } from '../index/segment.ts';

/*
 * The terms of a vault, over all segments. Only terms of live notes are returned; otherwise results would change when the
 * index is rebuilt without the others.
 */

/** Returns the terms of exactly this word, in whatever language and spelling a note has it. */
export function exactTerms(segments: readonly Segment[], word: string): string[] {
  return [...prefixTerms(segments, wordTermPrefix(word))].filter((term) => isLive(segments, term));
}

/** Returns the terms that have any of these stem keys, in order. */
export function termsWithKeys(segments: readonly Segment[], keys: Iterable<string>): string[] {
  const terms = [...keys].flatMap((key) => segments.flatMap((segment) => segment.withStem(key)));
  return distinctSorted(terms).filter((term) => isLive(segments, term));
}

/** The languages in which notes of a vault are written in Latin and Cyrillic letters. */
export interface VaultLanguages {
  readonly all: readonly Language[];
  /** Languages with compound words in which enough notes are written to justify a scan of the dictionary. */
  readonly compounding: readonly Language[];
}

const COMPOUND_LANGUAGES: ReadonlySet<Language> = new Set(['de', 'nl', 'sv']);
/** The share of the notes from which on compounds of a language are looked for. */
const COMPOUND_SHARE = 0.02;

export function languagesIn(segments: readonly Segment[]): VaultLanguages {
  const terms = [...prefixTerms(segments, LANGUAGE_TERM_PREFIX)];
  const languageOf = (term: string) => term.slice(LANGUAGE_TERM_PREFIX.length) as Language;
  const candidates = terms.filter((term) => COMPOUND_LANGUAGES.has(languageOf(term)));
  const least = candidates.length === 0 ? 0 : COMPOUND_SHARE * countLiveNotes(segments);
  const compounding = candidates.filter((term) => haveAtLeast(segments, term, Math.max(1, least)));
  const known = terms.map(languageOf);
  // What a vault of nothing but short notes is written in is not known.
  const isUnknown = known.includes('latin') && !LATIN_LANGUAGES.some((language) => known.includes(language));
  const all = isUnknown ? [...known, ...LATIN_LANGUAGES] : known;
  return { all, compounding: compounding.map(languageOf) };
}

/** Returns the terms whose words begin with a word. */
export function* termsStartingWith(segments: readonly Segment[], word: string): Generator<string> {
  for (const term of prefixTerms(segments, word)) if (isLive(segments, term)) yield term;
}

/** Returns the terms whose words contain a word. */
export function* termsContaining(segments: readonly Segment[], word: string): Generator<string> {
  for (const term of merged(segments.map(({ terms }) => terms.containing(word)))) {
    if (term >= FILTER_TERMS_END && wordOfTerm(term).includes(word) && isLive(segments, term)) yield term;
  }
}

/** Returns the terms a few edits away, with the number of edits, fewest first. */
export function fuzzyTerms(segments: readonly Segment[], word: string, maxEdits: number): [string, number][] {
  const editsOf = new Map<string, number>();
  for (const segment of segments) for (const { term, edits } of segment.fuzzy(word, maxEdits)) editsOf.set(term, edits);
  return [...editsOf]
    .filter(([term]) => isLive(segments, term))
    .sort(([a, aEdits], [b, bEdits]) => aEdits - bEdits || (a < b ? -1 : 1));
}

function countLiveNotes(segments: readonly Segment[]): number {
  return segments.reduce((count, { size, deletedCount }) => count + size - deletedCount, 0);
}

/** Returns whether so many live notes have a term. Reads no more notes than it needs for that. */
function haveAtLeast(segments: readonly Segment[], term: string, least: number): boolean {
  let count = 0;
  for (const segment of segments) {
    const reader = segment.postings(term);
    while (reader?.next()) if (segment.deleted[reader.note] !== 1 && ++count >= least) return true;
  }
  return false;
}

/** Number of live notes that have any of the terms. */
export function countNotesWithAny(segments: readonly Segment[], terms: readonly string[]): number {
  if (terms.length === 0) return 0;
  let count = 0;
  for (const segment of segments) {
    const seen = new Uint8Array(segment.size);
    for (const term of terms) {
      const reader = segment.postings(term);
      while (reader?.next()) {
        if (segment.deleted[reader.note] === 1 || seen[reader.note] === 1) continue;
        seen[reader.note] = 1;
        count++;
      }
    }
  }
  return count;
}

/** All terms with a prefix, in order, each once; also those of deleted notes. */
export function prefixTerms(segments: readonly Segment[], prefix: string): Iterable<string> {
  return merged(segments.map(({ terms }) => termsWithPrefix(terms, prefix)));
}

function* termsWithPrefix(terms: TermList, prefix: string): Generator<string> {
  for (let index = terms.lowerBound(prefix); index < terms.length; index++) {
    const term = terms.at(index);
    if (!term.startsWith(prefix)) return;
    yield term;
  }
}

/** Returns the texts of ascending lists, ascending, each once. Reads no further in a list than it has to. */
function merged(lists: readonly Iterable<string>[]): Iterable<string> {
  const [only] = lists;
  return lists.length === 1 && only !== undefined ? only : mergedLists(lists);
}

function* mergedLists(lists: readonly Iterable<string>[]): Generator<string> {
  const heads = lists.map((list) => {
    const texts = list[Symbol.iterator]();
    return { texts, next: texts.next() };
  });
  for (;;) {
    let least: string | undefined;
    for (const { next } of heads) {
      if (next.done !== true && (least === undefined || next.value < least)) least = next.value;
    }
    if (least === undefined) return;
    yield least;
    for (const head of heads) if (head.next.done !== true && head.next.value === least) head.next = head.texts.next();
  }
}

/** Returns whether a live note has the term. */
function isLive(segments: readonly Segment[], term: string): boolean {
  return segments.some((segment) => {
    if (segment.deletedCount === 0) return segment.hasTerm(term);
    const reader = segment.postings(term);
    while (reader?.next()) if (segment.deleted[reader.note] !== 1) return true;
    return false;
  });
}

function distinctSorted(terms: readonly string[]): string[] {
  return [...new Set(terms)].sort();
}
