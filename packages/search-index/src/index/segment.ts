import { type languageOf, stem } from '@notevault/note-text/words/languages.ts';
import type { NoteInfo } from './analyse.ts';
import type { NearTerm } from './near.ts';
import type { PostingsReader } from './postings.ts';

/**
 * A part of a vault's index: some of its notes, as they were, and their words. A note that was written again lies in a
 * later part too, and is dead in this one.
 */
export interface Segment {
  /** How many notes it has, dead ones included; they are numbered from 0. */
  readonly size: number;
  /** 1 for each note that is dead here. Only the index as a whole writes it. */
  readonly dead: Uint8Array;
  /** Notes deleted since the part before: they are dead in all earlier parts. */
  readonly gone: readonly string[];
  /** Bytes of memory, about. */
  readonly bytes: number;
  id(note: number): string;
  info(note: number): NoteInfo;
  /** Position of the first word of each of the note's chunks. */
  chunkWords(note: number): ArrayLike<number>;
  bodyWords(note: number): number;
  titleWords(note: number): number;
  /** Epoch milliseconds; NaN for none. */
  created(note: number): number;
  timestamp(note: number): number;
  postings(term: string): PostingsReader | null;
  /** All terms, ascending by UTF-16 units. */
  readonly terms: TermList;
  /** Terms whose words are at most so many edits away (see WordShapes). */
  near(word: string, most: number): NearTerm[];
  /** Terms whose words share a stem (see stemKey), where there are several or it is not the word itself. */
  withStem(key: string): readonly string[];
}

/** A sorted list of texts. */
export interface TermList {
  readonly length: number;
  at(index: number): string;
  /** Where a text stands or would stand. */
  lowerBound(text: string): number;
  /** The texts that hold `part`, and perhaps some that do not. */
  holding(part: string): string[];
}

/** The first place of so many of which `isBefore` does not hold; it holds of those before. */
export function lowerBound(length: number, isBefore: (index: number) => boolean): number {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isBefore(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** What inflected forms of one word in one language have in common; null for filters. */
export function stemKey(term: string): string | null {
  const end = term.indexOf('\0');
  if (end < 0) return null;
  const language = term.slice(end + 1) as ReturnType<typeof languageOf>;
  return `${stem(term.slice(0, end), language)}\0${language}`;
}
