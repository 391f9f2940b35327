import type { AnalysedNote } from './analyse.ts';
import { type NearTerm, WordShapes } from './near.ts';
import { type PostingsReader, PostingsWriter } from './postings.ts';
import { lowerBound, type Segment, stemKey, type TermList } from './segment.ts';

/** What a note costs in memory besides its postings, about. */
const noteBytes = 600;
const termBytes = 150;

/** The newest part of an index, which notes are added to. */
export class MemorySegment implements Segment {
  dead = new Uint8Array(64);
  readonly gone: string[] = [];
  readonly #notes: Omit<AnalysedNote, 'terms'>[] = [];
  readonly #terms = new Map<string, PostingsWriter>();
  readonly #stems = new Map<string, string[]>();
  /** Terms as they came. */
  readonly #known: string[] = [];
  readonly #shapes = new WordShapes();
  #sorted: string[] = [];
  /** Terms that came since `#sorted` was. */
  #unsorted: string[] = [];
  #postingBytes = 0;

  get size(): number {
    return this.#notes.length;
  }

  get bytes(): number {
    return this.#postingBytes + this.#notes.length * noteBytes + this.#terms.size * termBytes;
  }

  /** Resolves to the note's number. */
  add({ terms, ...note }: AnalysedNote): number {
    const number = this.#notes.push(note) - 1;
    if (number >= this.dead.length) {
      const grown = new Uint8Array(this.dead.length * 2);
      grown.set(this.dead);
      this.dead = grown;
    }
    for (const [term, places] of terms) {
      const writer = this.#writer(term);
      const before = writer.size;
      writer.add(number, places);
      this.#postingBytes += writer.size - before;
    }
    return number;
  }

  #writer(term: string): PostingsWriter {
    const known = this.#terms.get(term);
    if (known !== undefined) return known;
    const made = new PostingsWriter();
    this.#terms.set(term, made);
    this.#known.push(term);
    this.#shapes.add(term);
    this.#unsorted.push(term);
    const key = stemKey(term);
    if (key !== null) {
      const terms = this.#stems.get(key);
      if (terms === undefined) this.#stems.set(key, [term]);
      else terms.push(term);
    }
    return made;
  }

  get terms(): TermList {
    if (this.#unsorted.length > 0) {
      this.#sorted = interleave(this.#sorted, this.#unsorted.sort());
      this.#unsorted = [];
    }
    const terms = this.#sorted;
    return {
      length: terms.length,
      at: (index) => terms[index] ?? '',
      lowerBound: (text) => lowerBound(terms.length, (index) => (terms[index] ?? '') < text),
      holding: (part) => terms.filter((term) => term.includes(part)),
    };
  }

  id(note: number): string {
    return this.#note(note).id;
  }
  info(note: number) {
    return this.#note(note).info;
  }
  chunkWords(note: number): ArrayLike<number> {
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
    return this.#terms.get(term)?.reader() ?? null;
  }
  near(word: string, most: number): NearTerm[] {
    return this.#shapes.near(word, most, (index) => this.#known[index] ?? '');
  }
  withStem(key: string): readonly string[] {
    return this.#stems.get(key) ?? [];
  }

  #note(number: number): Omit<AnalysedNote, 'terms'> {
    const note = this.#notes[number];
    if (note === undefined) throw new RangeError(`the segment has no note ${number}`);
    return note;
  }
}

/** Two sorted lists as one. */
function interleave(a: readonly string[], b: readonly string[]): string[] {
  const all: string[] = [];
  let next = 0;
  for (const text of a) {
    while (next < b.length && (b[next] ?? '') < text) all.push(b[next++] ?? '');
    all.push(text);
  }
  while (next < b.length) all.push(b[next++] ?? '');
  return all;
}
