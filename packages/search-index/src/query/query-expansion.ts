import { isUnspaced } from '@notevault/note-text/words/classes.ts';
import { type Language, languageOf, stem } from '@notevault/note-text/words/languages.ts';
import { FILTERS_END, languageTerms, wordOf } from './analyse.ts';
import type { Segment } from './segment.ts';
import type { VaultIndex } from './vault-index.ts';

/** A term of the vault that stands for a word of the query. */
export interface Variant {
  readonly term: string;
  /** How much of a hit it is: 1 for the word itself. */
  readonly weight: number;
  /** Whether it counts in titles, headings and names only. */
  readonly namesOnly: boolean;
}

const weights = { exact: 1, stem: 0.9, part: 0.6, prefix: 0.6, typing: 0.5, oneEdit: 0.5, twoEdits: 0.3 } as const;
/** Most terms that one rung adds to a word. */
const maxVariants = 64;

/**
 * The terms that a word of a query finds: itself and its inflected forms; where there are none in any live note, what
 * begins with it and what is one edit away (from 4 letters) or two (from 8). Of a script without spaces, words that hold
 * it count always, for dictionaries cut the same text differently in different company. In terms of names (see
 * `namesOnly`) the word may be unfinished while it is being typed.
 */
export function expandWord(index: VaultIndex, word: string, typing: boolean): Variant[] {
  const variants = new Map<string, Variant>();
  const add = (term: string, weight: number, namesOnly = false) => {
    const known = variants.get(term);
    if (known === undefined || (known.namesOnly && !namesOnly)) variants.set(term, { term, weight, namesOnly });
  };
  const { segments } = index;
  for (const term of exactTerms(segments, word)) add(term, weights.exact);
  for (const term of stemTerms(segments, word)) if (!variants.has(term)) add(term, weights.stem);
  const unspaced = isUnspaced(word);
  if (unspaced && word.length > 1) for (const term of take(holding(segments, word), variants)) add(term, weights.part);
  const letters = [...word].length;
  if (variants.size === 0) {
    if (letters >= (unspaced ? 1 : 3))
      for (const term of take(beginning(segments, word), variants)) add(term, weights.prefix);
    for (const [term, edits] of near(segments, word, letters)) {
      if (!variants.has(term)) add(term, edits === 1 ? weights.oneEdit : weights.twoEdits);
    }
  }
  if (typing && letters >= (unspaced ? 1 : 2)) {
    for (const term of take(beginning(segments, word), variants)) add(term, weights.typing, true);
  }
  return [...variants.values()].sort((a, b) => (a.term < b.term ? -1 : 1));
}

/** The terms that are exactly this word, whatever the language of the note. */
export function exactTerms(segments: readonly Segment[], word: string): string[] {
  return live(segments, startingWith(segments, `${word}\0`));
}

function stemTerms(segments: readonly Segment[], word: string): string[] {
  const keys = languagesFor(segments, word).map((language) => `${stem(word, language)}\0${language}`);
  return live(segments, distinctSorted(keys.flatMap((key) => segments.flatMap((segment) => segment.withStem(key)))));
}

/** The languages of the vault whose words may be inflected as this one is. */
function languagesFor(segments: readonly Segment[], word: string): Language[] {
  const alphabet = languageOf(word, { latin: 'en', cyrillic: 'ru' });
  if (alphabet !== 'en') return alphabet === 'ru' ? ['ru'] : [];
  const found = [...startingWith(segments, languageTerms)].map((term) => term.slice(languageTerms.length) as Language);
  return found.filter((language) => language !== 'ru' && language !== 'none');
}

/** The first terms that are alive and not taken yet, so many as a rung may add. */
function* take(terms: Iterable<string>, taken: ReadonlyMap<string, unknown>): Generator<string> {
  let left = maxVariants;
  for (const term of terms) {
    if (taken.has(term)) continue;
    yield term;
    if (--left === 0) return;
  }
}

function live(segments: readonly Segment[], terms: Iterable<string>): string[] {
  return [...terms].filter((term) => isLive(segments, term));
}

/** Whether a live note has the term. What only dead notes have must not count: it would be gone after rebuilding. */
function isLive(segments: readonly Segment[], term: string): boolean {
  return segments.some((segment) => {
    const reader = segment.postings(term);
    while (reader?.next()) if (segment.dead[reader.note] !== 1) return true;
    return false;
  });
}

function* beginning(segments: readonly Segment[], word: string): Generator<string> {
  for (const term of startingWith(segments, word)) if (isLive(segments, term)) yield term;
}

/** Terms that begin so, in order, each once. */
function* startingWith(segments: readonly Segment[], prefix: string): Generator<string> {
  const cursors = segments.map(({ terms }) => ({ terms, at: terms.lowerBound(prefix) }));
  for (;;) {
    let least: string | undefined;
    for (const { terms, at } of cursors) {
      if (at >= terms.length) continue;
      const term = terms.at(at);
      if (term.startsWith(prefix) && (least === undefined || term < least)) least = term;
    }
    if (least === undefined) return;
    yield least;
    for (const cursor of cursors)
      if (cursor.at < cursor.terms.length && cursor.terms.at(cursor.at) === least) cursor.at++;
  }
}

/** Terms of scripts without spaces whose words hold this one. */
function* holding(segments: readonly Segment[], word: string): Generator<string> {
  const found = segments.flatMap(({ terms }) => terms.holding(word));
  for (const term of distinctSorted(found)) {
    if (term >= FILTERS_END && wordOf(term).includes(word) && isLive(segments, term)) yield term;
  }
}

function near(segments: readonly Segment[], word: string, letters: number): [string, number][] {
  const most = /^\p{N}+$/u.test(word) ? 0 : letters >= 8 ? 2 : letters >= 4 ? 1 : 0;
  if (most === 0) return [];
  const edits = new Map<string, number>();
  for (const segment of segments) for (const found of segment.near(word, most)) edits.set(found.term, found.edits);
  return [...edits]
    .filter(([term]) => isLive(segments, term))
    .sort(([a, aEdits], [b, bEdits]) => aEdits - bEdits || (a < b ? -1 : 1))
    .slice(0, maxVariants);
}

function distinctSorted(terms: readonly string[]): string[] {
  return [...new Set(terms)].sort();
}
