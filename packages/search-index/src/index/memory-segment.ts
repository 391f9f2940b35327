import type { AnalyzedNote } from '../analysis/analyzer.ts';
import { stemKeys } from '../analysis/terms.ts';
import { MemoryFacts } from './columns.ts';
import { type FuzzyMatch, FuzzyMatcher } from './fuzzy.ts';
import { lowerBound } from './lower-bound.ts';
import { type PostingsReader, PostingsWriter } from './postings.ts';
import type { Segment, TermList } from './segment.ts';

/** Memory that a note and a term take besides the postings, approximately. */
const BYTES_PER_NOTE = 600;
const BYTES_PER_TERM = 150;
const BYTES_PER_FACT = 150;

/** The newest segment of an index: the only one that notes are added to. */
export class MemorySegment implements Segment {
  deleted = new Uint8Array(64);
  deletedCount = 0;
  readonly tombstones: string[] = [];
  readonly facts = new MemoryFacts();
  readonly #notes: Omit<AnalyzedNote, 'terms' | 'facts'>[] = [];
  readonly #postings = new Map<string, PostingsWriter>();
  readonly #termsByStem = new Map<string, string[]>();
  /** Terms in the order they were added. */
  readonly #addedTerms: string[] = [];
  readonly #fuzzyMatcher = new FuzzyMatcher();
  #sortedTerms: string[] = [];
  /** Terms added since `#sortedTerms` was sorted. */
  #unsortedTerms: string[] = [];
  #postingBytes = 0;
  /** Number of properties and tasks. */
  #factCount = 0;

  get size(): number {
    return this.#notes.length;
  }

  get bytes(): number {
    const facts = this.#factCount * BYTES_PER_FACT;
    return this.#postingBytes + this.#notes.length * BYTES_PER_NOTE + this.#postings.size * BYTES_PER_TERM + facts;
  }

  /** Adds a note and returns its number. */
  add({ terms, facts, ...note }: AnalyzedNote): number {
    const number = this.#notes.push(note) - 1;
    this.facts.add(facts);
    this.#factCount += facts.properties.size + facts.tasks.length;
    if (number >= this.deleted.length) {
      const grown = new Uint8Array(this.deleted.length * 2);
      grown.set(this.deleted);
      this.deleted = grown;
    }
    for (const [term, occurrences] of terms) {
      const writer = this.#writerOf(term);
      const before = writer.size;
      writer.add(number, occurrences);
      this.#postingBytes += writer.size - before;
    }
    return number;
  }

  #writerOf(term: string): PostingsWriter {
    const known = this.#postings.get(term);
    if (known !== undefined) return known;
    const writer = new PostingsWriter();
    this.#postings.set(term, writer);
    this.#addedTerms.push(term);
    this.#fuzzyMatcher.add(term);
    this.#unsortedTerms.push(term);
    for (const key of stemKeys(term)) {
      const terms = this.#termsByStem.get(key);
      if (terms === undefined) this.#termsByStem.set(key, [term]);
      else terms.push(term);
    }
    return writer;
  }

  get terms(): TermList {
    if (this.#unsortedTerms.length > 0) {
      this.#sortedTerms = mergeSorted(this.#sortedTerms, this.#unsortedTerms.sort());
      this.#unsortedTerms = [];
    }
    const terms = this.#sortedTerms;
    return {
      length: terms.length,
      at: (index) => terms[index] ?? '',
      lowerBound: (text) => lowerBound(terms.length, (index) => (terms[index] ?? '') < text),
      containing: (part) => terms.values().filter((term) => term.includes(part)),
    };
  }

  markDeleted(note: number): void {
    if (this.deleted[note] === 1) return;
    this.deleted[note] = 1;
    this.deletedCount++;
  }
  id(note: number): string {
    return this.#note(note).id;
  }
  info(note: number) {
    return this.#note(note).info;
  }
  path(note: number): string {
    return this.#note(note).info.path;
  }
  chunkPositions(note: number): ArrayLike<number> {
    return this.#note(note).info.chunks.map(({ word }) => word);
  }
  bodyWords(note: number): number {
    return this.#note(note).bodyWords;
  }
  titleWords(note: number): number {
    return this.#note(note).titleWords;
  }
  created(note: number): number {
    return this.#note(note).created ?? Number.NaN;
  }
  timestamp(note: number): number {
    return this.#note(note).timestamp ?? Number.NaN;
  }
  postings(term: string): PostingsReader | null {
    return this.#postings.get(term)?.reader() ?? null;
  }
  hasTerm(term: string): boolean {
    return this.#postings.has(term);
  }
  fuzzy(word: string, maxEdits: number): FuzzyMatch[] {
    return this.#fuzzyMatcher.match(word, maxEdits, (index) => this.#addedTerms[index] ?? '');
  }
  withStem(key: string): readonly string[] {
    return this.#termsByStem.get(key) ?? [];
  }

  #note(number: number): Omit<AnalyzedNote, 'terms' | 'facts'> {
    const note = this.#notes[number];
    if (note === undefined) throw new RangeError(`the segment has no note ${number}`);
    return note;
  }
}

function mergeSorted(a: readonly string[], b: readonly string[]): string[] {
  const merged: string[] = [];
  let next = 0;
  for (const text of a) {
    while (next < b.length && (b[next] ?? '') < text) merged.push(b[next++] ?? '');
    merged.push(text);
  }
  while (next < b.length) merged.push(b[next++] ?? '');
  return merged;
}
