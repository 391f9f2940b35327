import type { NoteInfo } from '../analysis/analyzer.ts';
import type { SegmentFacts } from './columns.ts';
import type { FuzzyMatch } from './fuzzy.ts';
import type { PostingsReader } from './postings.ts';

/**
 * A segment holds some notes of a vault, each as it was when it was written, and their terms. When a note is written
 * again, a later segment holds its new state, and this segment marks the note as deleted.
 */
export interface Segment {
  /** Number of notes, deleted ones included. Notes are numbered from 0. */
  readonly size: number;
  /** 1 for each note that is deleted or replaced; `markDeleted` writes it. */
  readonly deleted: Uint8Array;
  /** Number of deleted notes. */
  readonly deletedCount: number;
  /** Ids of notes that were deleted after the segment before this one: they are deleted in all earlier segments. */
  readonly tombstones: readonly string[];
  /** Memory in bytes, approximately. */
  readonly bytes: number;
  markDeleted(note: number): void;
  id(note: number): string;
  info(note: number): NoteInfo;
  path(note: number): string;
  /** Facts that property queries read. */
  readonly facts: SegmentFacts;
  /** Position of the first word of each chunk of a note. */
  chunkPositions(note: number): ArrayLike<number>;
  bodyWords(note: number): number;
  titleWords(note: number): number;
  /** Epoch milliseconds; NaN without a date. */
  created(note: number): number;
  timestamp(note: number): number;
  postings(term: string): PostingsReader | null;
  /** Returns whether a note has the term, be it deleted or not. */
  hasTerm(term: string): boolean;
  /** All terms, ascending by UTF-16 units. */
  readonly terms: TermList;
  /** Terms whose words are at most `maxEdits` edits away from a word. */
  fuzzy(word: string, maxEdits: number): FuzzyMatch[];
  /** Terms whose words have this stem key. */
  withStem(key: string): readonly string[];
}

/** A sorted list of texts. */
export interface TermList {
  readonly length: number;
  at(index: number): string;
  /** Returns the index of the first text that is not below the given one. */
  lowerBound(text: string): number;
  /**
   * Returns the texts that contain `part`, and perhaps some that do not, in order. They are looked for as they are
   * read.
   */
  containing(part: string): Iterable<string>;
}
