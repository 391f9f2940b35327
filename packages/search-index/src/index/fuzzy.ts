import { FILTER_TERMS_END, wordOfTerm } from '../analysis/terms.ts';

/** A term whose word is a few edits away from the word looked for. */
export interface FuzzyMatch {
  readonly term: string;
  readonly edits: number;
}

/** Memory that a term takes in a FuzzyMatcher. */
export const SIGNATURE_BYTES = 5;
/** The length stored for a filter term, which has no word and must not match. */
const NO_WORD = 0xff;

/**
 * Finds the words of a list that are a few edits away from a given one. It knows each word's length and a signature: one
 * bit for each letter that occurs. An edit adds at most one letter and takes away at most one, so most words are ruled out
 * without being read.
 */
export class FuzzyMatcher {
  #signatures = new Uint32Array(64);
  #lengths = new Uint8Array(64);
  #size = 0;

  add(term: string): void {
    if (this.#size === this.#signatures.length) {
      this.#signatures = copyInto(new Uint32Array(this.#size * 2), this.#signatures);
      this.#lengths = copyInto(new Uint8Array(this.#size * 2), this.#lengths);
    }
    const word = wordOfTerm(term);
    this.#signatures[this.#size] = signatureOf(word);
    this.#lengths[this.#size++] = term < FILTER_TERMS_END ? NO_WORD : Math.min(word.length, NO_WORD - 1);
  }

  /**
   * Returns the terms whose words are at most `maxEdits` away, in the order of the list. An edit inserts, removes or
   * replaces a letter, or swaps two neighbours (optimal string alignment).
   *
   * @param termAt returns a term by the order in which the terms were added.
   */
  match(word: string, maxEdits: number, termAt: (index: number) => string): FuzzyMatch[] {
    const matches: FuzzyMatch[] = [];
    const signature = signatureOf(word);
    const length = Math.min(word.length, NO_WORD - 1);
    for (let index = 0; index < this.#size; index++) {
      const difference = (this.#lengths[index] as number) - length;
      if (difference > maxEdits || difference < -maxEdits) continue;
      const other = this.#signatures[index] as number;
      if (countBits(other & ~signature) > maxEdits || countBits(signature & ~other) > maxEdits) continue;
      const term = termAt(index);
      const edits = editDistance(wordOfTerm(term), word, maxEdits);
      if (edits <= maxEdits && this.#lengths[index] !== NO_WORD) matches.push({ term, edits });
    }
    return matches;
  }
}

/** Returns a bit mask of a word's letters. Letters of the same alphabet have different bits. */
function signatureOf(word: string): number {
  let signature = 0;
  for (let at = 0; at < word.length; at++) signature |= 1 << (word.charCodeAt(at) & 31);
  return signature;
}

function countBits(value: number): number {
  const pairs = value - ((value >>> 1) & 0x55555555);
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

/** Returns the number of edits from one word to another, or any number above `maxEdits` when there are more. */
function editDistance(a: string, b: string, maxEdits: number): number {
  let start = 0;
  while (start < a.length && start < b.length && a.charCodeAt(start) === b.charCodeAt(start)) start++;
  let [aEnd, bEnd] = [a.length, b.length];
  while (aEnd > start && bEnd > start && a.charCodeAt(aEnd - 1) === b.charCodeAt(bEnd - 1)) {
    aEnd--;
    bEnd--;
  }
  if (aEnd === start || bEnd === start) return Math.max(aEnd, bEnd) - start;
  const width = bEnd - start + 1;
  let twoAbove = new Uint8Array(width);
  let above = Uint8Array.from({ length: width }, (_, column) => column);
  let row = new Uint8Array(width);
  let leastAbove = 0;
  for (let index = start; index < aEnd; index++) {
    const least = fillRow({ a, b, start, index }, row, above, twoAbove);
    // Later rows depend only on these two, so no later number is smaller than both minima.
    if (least > maxEdits && leastAbove >= maxEdits) return maxEdits + 1;
    leastAbove = least;
    [twoAbove, above, row] = [above, row, twoAbove];
  }
  return above[width - 1] ?? 0;
}

interface RowInput {
  readonly a: string;
  readonly b: string;
  /** Offset of the first difference between the words. */
  readonly start: number;
  /** The letter of `a` that the row belongs to. */
  readonly index: number;
}

/** Fills a row of the table of edit distances and returns its least number. */
function fillRow({ a, b, start, index }: RowInput, row: Uint8Array, above: Uint8Array, twoAbove: Uint8Array): number {
  const unit = a.charCodeAt(index);
  const previous = a.charCodeAt(index - 1);
  let least = index - start + 1;
  row[0] = least;
  for (let column = 1; column < row.length; column++) {
    const other = b.charCodeAt(start + column - 1);
    const replaced = (above[column - 1] as number) + (other === unit ? 0 : 1);
    let edits = Math.min((above[column] as number) + 1, (row[column - 1] as number) + 1, replaced);
    if (column > 1 && index > start && other === previous && b.charCodeAt(start + column - 2) === unit)
      edits = Math.min(edits, (twoAbove[column - 2] as number) + 1);
    row[column] = edits;
    if (edits < least) least = edits;
  }
  return least;
}

function copyInto<Numbers extends { set(numbers: Numbers): void }>(to: Numbers, from: Numbers): Numbers {
  to.set(from);
  return to;
}
