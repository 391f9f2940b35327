/**
 * Cuts texts into tokens (lines or words) and measures what two texts have in common. All offsets and lengths count
 * UTF-16 units.
 */

import type { Budget } from './budget.ts';

const newline = 10;
/** A longer run of letters is cut here, so that one very long word costs no more than prose. */
const maxWord = 256;

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}

/** Returns whether `offset` is between the two halves of a surrogate pair of `text`. */
export function splitsPair(text: string, offset: number): boolean {
  return isLowSurrogate(text.charCodeAt(offset)) && isHighSurrogate(text.charCodeAt(offset - 1));
}

/** Length of the common prefix of `a` from `aFrom` and `b` from `bFrom`, at most `max`. */
export function commonPrefix(a: string, aFrom: number, b: string, bFrom: number, max: number): number {
  let shared = 0;
  // Slices are compared at memory speed. Blocks grow while they match, so that a difference near the start stays cheap.
  let block = 32;
  while (shared + block <= max) {
    const aAt = aFrom + shared;
    const bAt = bFrom + shared;
    if (a.slice(aAt, aAt + block) !== b.slice(bAt, bAt + block)) break;
    shared += block;
    if (block < 65_536) block *= 2;
  }
  while (block > 32) {
    block /= 2;
    const aAt = aFrom + shared;
    const bAt = bFrom + shared;
    if (shared + block <= max && a.slice(aAt, aAt + block) === b.slice(bAt, bAt + block)) shared += block;
  }
  while (shared < max && a.charCodeAt(aFrom + shared) === b.charCodeAt(bFrom + shared)) shared++;
  return shared;
}

/** Length of the common suffix of `a` before `aTo` and `b` before `bTo`, at most `max`. */
export function commonSuffix(a: string, aTo: number, b: string, bTo: number, max: number): number {
  let shared = 0;
  let block = 32;
  while (shared + block <= max) {
    const aAt = aTo - shared;
    const bAt = bTo - shared;
    if (a.slice(aAt - block, aAt) !== b.slice(bAt - block, bAt)) break;
    shared += block;
    if (block < 65_536) block *= 2;
  }
  while (block > 32) {
    block /= 2;
    const aAt = aTo - shared;
    const bAt = bTo - shared;
    if (shared + block <= max && a.slice(aAt - block, aAt) === b.slice(bAt - block, bAt)) shared += block;
  }
  while (shared < max && a.charCodeAt(aTo - shared - 1) === b.charCodeAt(bTo - shared - 1)) shared++;
  return shared;
}

/** Way to split a text into tokens. Equal texts are always split alike. */
export interface TokenScale {
  /** The end of the token that starts at `from`; more than `from`, at most `to`. */
  readonly next: (text: string, from: number, to: number) => number;
  /**
   * The nearest offset at or before `aAt`, not before `aFrom`, where tokens of both texts may start. The texts agree up
   * to there.
   */
  readonly back: (a: string, aFrom: number, aAt: number, b: string, bAt: number) => number;
  /**
   * Minimum length of an agreement, in tokens and units, that counts as certain: the search does not go back behind it.
   */
  readonly certainSpans: number;
  readonly certainUnits: number;
}

export const lines: TokenScale = {
  next(text, from, to) {
    const at = text.indexOf('\n', from);
    return at === -1 || at >= to ? to : at + 1;
  },
  back(a, aFrom, aAt) {
    return aAt === aFrom ? aAt : Math.max(a.lastIndexOf('\n', aAt - 1) + 1, aFrom);
  },
  certainSpans: 8,
  certainUnits: 512,
};

/**
 * Returns whether a unit belongs to a word that is kept in one piece. Scripts without spaces between words (Chinese,
 * Japanese, Thai, Khmer…) are cut at every letter instead, and so are symbols, emoji and white space.
 */
export function joinsWords(unit: number): boolean {
  if (unit < 0x80) return (unit >= 97 && unit <= 122) || (unit >= 65 && unit <= 90) || (unit >= 48 && unit <= 57);
  if (unit < 0xc0) return unit === 0xaa || unit === 0xb5 || unit === 0xba;
  if (unit < 0x0e00) return true;
  if (unit < 0x1800) return (unit >= 0x10a0 && unit < 0x1780) || (unit >= 0x0f00 && unit < 0x1000);
  if (unit < 0x2000) return unit < 0x1950 || unit >= 0x1ab0;
  if (unit < 0x2c00) return false;
  return unit < 0x2e00 || (unit >= 0xa4d0 && unit < 0xd800);
}

export const words: TokenScale = {
  next(text, from, to) {
    let at = from + 1;
    if (!joinsWords(text.charCodeAt(from))) return at < to && splitsPair(text, at) ? at + 1 : at;
    const stop = Math.min(to, from + maxWord);
    while (at < stop && joinsWords(text.charCodeAt(at))) at++;
    return at;
  },
  back(a, aFrom, aAt, b, bAt) {
    let at = aAt;
    const stop = Math.max(aFrom, aAt - maxWord);
    while (at > stop && joinsWords(a.charCodeAt(at - 1))) at--;
    // Reached only when no step back was taken: a word never ends next to half a pair.
    if (at === aAt && at > aFrom && (splitsPair(a, aAt) || splitsPair(b, bAt))) at--;
    return at;
  },
  certainSpans: 16,
  certainUnits: 48,
};

export const letters: TokenScale = {
  next: (text, from) => (splitsPair(text, from + 1) ? from + 2 : from + 1),
  back: (a, aFrom, aAt, b, bAt) => (aAt > aFrom && (splitsPair(a, aAt) || splitsPair(b, bAt)) ? aAt - 1 : aAt),
  certainSpans: 16,
  certainUnits: 16,
};

export function startsLine(text: string, offset: number): boolean {
  return offset === 0 || text.charCodeAt(offset - 1) === newline;
}

export function endsLine(text: string, offset: number): boolean {
  return offset === text.length || text.charCodeAt(offset) === newline;
}

/** The tokens of `text` from `from` to `to`, cut only as far as they are read. */
export class Tokens {
  readonly text: string;
  readonly #scale: TokenScale;
  readonly #to: number;
  readonly #starts: number[];

  constructor(text: string, from: number, to: number, scale: TokenScale) {
    this.text = text;
    this.#scale = scale;
    this.#to = to;
    this.#starts = [from];
  }

  /**
   * Returns whether there is a token number `index`. Indexes must be requested in growing order, one new one at a time.
   */
  has(index: number): boolean {
    if (index + 1 < this.#starts.length) return true;
    const end = this.start(index);
    if (end >= this.#to) return false;
    this.#starts.push(this.#scale.next(this.text, end, this.#to));
    return true;
  }

  /** Start of token number `index`, which is the end of the one before it. */
  start(index: number): number {
    return this.#starts[index] ?? this.#to;
  }
}

/** Returns whether two tokens hold the same text. */
export function sameToken(a: Tokens, aIndex: number, b: Tokens, bIndex: number, budget: Budget): boolean {
  const aFrom = a.start(aIndex);
  const bFrom = b.start(bIndex);
  const length = a.start(aIndex + 1) - aFrom;
  if (length !== b.start(bIndex + 1) - bFrom) return false;
  if (length > 64) {
    budget.work -= length >> 7; // a long line is compared at memory speed
    return a.text.slice(aFrom, aFrom + length) === b.text.slice(bFrom, bFrom + length);
  }
  // Lines often begin alike (indents, bullets) and mostly end alike (a newline), so the middle differs soonest.
  const middle = length >> 1;
  if (a.text.charCodeAt(aFrom + middle) !== b.text.charCodeAt(bFrom + middle)) return false;
  for (let at = 0; at < length; at++) {
    if (a.text.charCodeAt(aFrom + at) !== b.text.charCodeAt(bFrom + at)) return false;
  }
  return true;
}
