import type { NoteInfo } from './analyse.ts';
import { type NearTerm, shapeBytes, WordShapes } from './near.ts';
import { PostingsReader } from './postings.ts';
import { lowerBound, type Segment, stemKey, type TermList } from './segment.ts';

/** What a frozen segment consists of, as it is kept at rest. */
export interface FrozenParts {
  /** 16 bytes for each note. */
  readonly ids: Uint8Array;
  /** JSON of each note's NoteInfo, one after the other, and where each ends. */
  readonly infos: Uint8Array;
  readonly infoEnds: Uint32Array;
  /** Of each note's chunks, the position of the first word; and where each note's end. */
  readonly chunkWords: Uint32Array;
  readonly chunkEnds: Uint32Array;
  readonly bodyWords: Uint32Array;
  readonly titleWords: Uint32Array;
  readonly created: Float64Array;
  readonly timestamps: Float64Array;
  /** Terms in order, in UTF-8, and where each ends in UTF-16 units of the whole. */
  readonly terms: Uint8Array;
  readonly termEnds: Uint32Array;
  readonly postings: Uint8Array;
  readonly postingEnds: Uint32Array;
  /** Stems in order, as the terms are; the numbers of each one's terms, and where they end. */
  readonly stems: Uint8Array;
  readonly stemEnds: Uint32Array;
  readonly stemTerms: Uint32Array;
  readonly stemTermEnds: Uint32Array;
  /** 16 bytes for each. */
  readonly gone: Uint8Array;
}

const decoder = new TextDecoder();

/** A part of an index that does not change any more. */
export class FrozenSegment implements Segment {
  readonly parts: FrozenParts;
  readonly size: number;
  readonly dead: Uint8Array;
  readonly gone: readonly string[];
  readonly terms: TermList;
  readonly bytes: number;
  readonly #stems: TermList;
  #shapes: WordShapes | undefined;

  constructor(parts: FrozenParts) {
    this.parts = parts;
    this.size = parts.ids.length / 16;
    this.dead = new Uint8Array(this.size);
    this.gone = Array.from({ length: parts.gone.length / 16 }, (_, index) => idAt(parts.gone, index));
    this.terms = new PackedTexts(parts.terms, parts.termEnds);
    this.#stems = new PackedTexts(parts.stems, parts.stemEnds);
    // The texts are held as strings besides, mostly one byte a letter.
    const texts = parts.terms.length + parts.stems.length + this.terms.length * shapeBytes;
    this.bytes = Object.values(parts).reduce((sum, part: ArrayBufferView) => sum + part.byteLength, this.size + texts);
  }

  id(note: number): string {
    return idAt(this.parts.ids, note);
  }

  info(note: number): NoteInfo {
    const { infos, infoEnds } = this.parts;
    const json = decoder.decode(infos.subarray(startOf(infoEnds, note), infoEnds[note]));
    return JSON.parse(json) as NoteInfo;
  }

  chunkWords(note: number): ArrayLike<number> {
    const { chunkWords, chunkEnds } = this.parts;
    return chunkWords.subarray(startOf(chunkEnds, note), chunkEnds[note]);
  }

  bodyWords(note: number): number {
    return this.parts.bodyWords[note] ?? 0;
  }
  titleWords(note: number): number {
    return this.parts.titleWords[note] ?? 0;
  }
  created(note: number): number {
    return this.parts.created[note] ?? Number.NaN;
  }
  timestamp(note: number): number {
    return this.parts.timestamps[note] ?? Number.NaN;
  }

  postings(term: string): PostingsReader | null {
    const at = this.terms.lowerBound(term);
    if (at >= this.terms.length || this.terms.at(at) !== term) return null;
    const { postings, postingEnds } = this.parts;
    return new PostingsReader(postings, startOf(postingEnds, at), postingEnds[at] ?? 0);
  }

  near(word: string, most: number): NearTerm[] {
    this.#shapes ??= this.#shapesOfAll();
    return this.#shapes.near(word, most, (index) => this.terms.at(index));
  }

  #shapesOfAll(): WordShapes {
    const shapes = new WordShapes();
    for (let index = 0; index < this.terms.length; index++) shapes.add(this.terms.at(index));
    return shapes;
  }

  withStem(key: string): readonly string[] {
    const at = this.#stems.lowerBound(key);
    if (at >= this.#stems.length || this.#stems.at(at) !== key) {
      // A word that is its own stem and the only one is not listed.
      return stemKey(key) === key && this.postings(key) !== null ? [key] : [];
    }
    const { stemTerms, stemTermEnds } = this.parts;
    const numbers = stemTerms.subarray(startOf(stemTermEnds, at), stemTermEnds[at]);
    return Array.from(numbers, (number) => this.terms.at(number));
  }
}

const startOf = (ends: Uint32Array, index: number) => (index === 0 ? 0 : (ends[index - 1] ?? 0));

/** Texts that lie in one string. */
class PackedTexts implements TermList {
  readonly length: number;
  readonly #all: string;
  readonly #ends: Uint32Array;

  constructor(utf8: Uint8Array, ends: Uint32Array) {
    this.length = ends.length;
    this.#all = decoder.decode(utf8);
    this.#ends = ends;
  }

  at(index: number): string {
    return this.#all.slice(startOf(this.#ends, index), this.#ends[index]);
  }

  lowerBound(text: string): number {
    return lowerBound(this.length, (index) => this.#isBefore(index, text));
  }

  /** As `at(index) < text`, without making the string. */
  #isBefore(index: number, text: string): boolean {
    const start = startOf(this.#ends, index);
    const length = (this.#ends[index] ?? 0) - start;
    const shared = Math.min(length, text.length);
    for (let at = 0; at < shared; at++) {
      const difference = this.#all.charCodeAt(start + at) - text.charCodeAt(at);
      if (difference !== 0) return difference < 0;
    }
    return length < text.length;
  }

  holding(part: string): string[] {
    const found: string[] = [];
    for (let at = this.#all.indexOf(part); at >= 0; ) {
      const index = this.#indexAt(at);
      found.push(this.at(index));
      at = this.#all.indexOf(part, this.#ends[index]);
    }
    return found;
  }

  /** The text that the unit at an offset of the whole belongs to. */
  #indexAt(offset: number): number {
    let low = 0;
    let high = this.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#ends[middle] ?? 0) > offset) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}

function idAt(ids: Uint8Array, index: number): string {
  const digits = Buffer.from(ids.buffer, ids.byteOffset + index * 16, 16).toString('hex');
  const group = (start: number, end: number) => digits.slice(start, end);
  return `${group(0, 8)}-${group(8, 12)}-${group(12, 16)}-${group(16, 20)}-${group(20, 32)}`;
}

/** UUIDs in their 16 bytes each. */
export function packIds(ids: readonly string[]): Uint8Array {
  const packed = new Uint8Array(ids.length * 16);
  ids.forEach((id, index) => {
    const digits = id.replaceAll('-', '');
    for (let at = 0; at < 16; at++) packed[index * 16 + at] = Number.parseInt(digits.slice(at * 2, at * 2 + 2), 16);
  });
  return packed;
}
