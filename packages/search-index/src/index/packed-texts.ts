import { lowerBound } from './lower-bound.ts';
import type { TermList } from './segment.ts';

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Returns the start of entry `index` from the ends of all entries. */
export const startOf = (ends: Uint32Array, index: number) => (index === 0 ? 0 : (ends[index - 1] ?? 0));

/** Joins texts into UTF-8 bytes, with the UTF-16 offset at which each ends. */
export function packTexts(texts: readonly string[]): { utf8: Uint8Array; ends: Uint32Array } {
  let end = 0;
  const ends = Uint32Array.from(texts, (text) => {
    end += text.length;
    return end;
  });
  return { utf8: encoder.encode(texts.join('')), ends };
}

/** A sorted list of texts in one string, as made by `packTexts`. */
export class PackedTexts implements TermList {
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

  /** Compares `at(index) < text` without making a string. */
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

  *containing(part: string): Generator<string> {
    for (let offset = this.#all.indexOf(part); offset >= 0; ) {
      const index = this.#indexAt(offset);
      yield this.at(index);
      offset = this.#all.indexOf(part, this.#ends[index]);
    }
  }

  /** Returns the index of the text that holds the UTF-16 unit at an offset. */
  #indexAt(offset: number): number {
    return lowerBound(this.length - 1, (index) => (this.#ends[index] ?? 0) <= offset);
  }
}
