import { FILTERS_END, wordOf } from './analyse.ts';

/** A term whose word is some edits away. */
export interface NearTerm {
  readonly term: string;
  readonly edits: number;
}

/** What a term costs here, in bytes. */
export const shapeBytes = 5;
/** Filters are no words: they are as long as none is. */
const noWord = 0xff;

/**
 * Of each of a list of terms, which letters its word has and how many: so that most of those that are far from a word are
 * passed over unread. One edit puts in one letter at most, and takes out one at most.
 */
export class WordShapes {
  #letters = new Uint32Array(64);
  #lengths = new Uint8Array(64);
  #size = 0;

  add(term: string): void {
    if (this.#size === this.#letters.length) {
      this.#letters = grown(this.#letters, new Uint32Array(this.#size * 2));
      this.#lengths = grown(this.#lengths, new Uint8Array(this.#size * 2));
    }
    const word = wordOf(term);
    this.#letters[this.#size] = lettersOf(word);
    this.#lengths[this.#size++] = term < FILTERS_END ? noWord : Math.min(word.length, noWord - 1);
  }

  /**
   * The terms whose words are at most `most` edits away, in the order of the list: a letter more, less, another, or two
   * neighbours exchanged (optimal string alignment).
   *
   * @param termAt gives the terms that were added.
   */
  near(word: string, most: number, termAt: (index: number) => string): NearTerm[] {
    const found: NearTerm[] = [];
    const letters = lettersOf(word);
    const length = Math.min(word.length, noWord - 1);
    for (let index = 0; index < this.#size; index++) {
      const difference = (this.#lengths[index] as number) - length;
      if (difference > most || difference < -most) continue;
      const own = this.#letters[index] as number;
      if (bitsIn(own & ~letters) > most || bitsIn(letters & ~own) > most) continue;
      const term = termAt(index);
      const edits = editsBetween(wordOf(term), word, most);
      if (edits <= most && this.#lengths[index] !== noWord) found.push({ term, edits });
    }
    return found;
  }
}

/** A bit for each letter; letters of one alphabet have bits of their own. */
function lettersOf(word: string): number {
  let letters = 0;
  for (let at = 0; at < word.length; at++) letters |= 1 << (word.charCodeAt(at) & 31);
  return letters;
}

function bitsIn(letters: number): number {
  const pairs = letters - ((letters >>> 1) & 0x55555555);
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

/** How many edits lead from one word to another; more than `most` when it is more. */
function editsBetween(a: string, b: string, most: number): number {
  let start = 0;
  while (start < a.length && start < b.length && a.charCodeAt(start) === b.charCodeAt(start)) start++;
  let [aEnd, bEnd] = [a.length, b.length];
  while (aEnd > start && bEnd > start && a.charCodeAt(aEnd - 1) === b.charCodeAt(bEnd - 1)) {
    aEnd--;
    bEnd--;
  }
  if (aEnd === start || bEnd === start) return Math.max(aEnd, bEnd) - start;
  const width = bEnd - start + 1;
  let aboveThat = new Uint8Array(width);
  let above = Uint8Array.from({ length: width }, (_, at) => at);
  let row = new Uint8Array(width);
  let leastAbove = 0;
  for (let down = start; down < aEnd; down++) {
    const least = fillRow({ a, b, start, down }, row, above, aboveThat);
    // What follows grows from these two rows.
    if (least > most && leastAbove >= most) return most + 1;
    leastAbove = least;
    [aboveThat, above, row] = [above, row, aboveThat];
  }
  return above[width - 1] ?? 0;
}

interface Compared {
  readonly a: string;
  readonly b: string;
  /** Where they begin to differ. */
  readonly start: number;
  /** The letter of `a` that the row is of. */
  readonly down: number;
}

/** Fills a row of the table of distances; resolves to its least number. */
function fillRow({ a, b, start, down }: Compared, row: Uint8Array, above: Uint8Array, aboveThat: Uint8Array): number {
  const unit = a.charCodeAt(down);
  const last = a.charCodeAt(down - 1);
  let least = down - start + 1;
  row[0] = least;
  for (let at = 1; at < row.length; at++) {
    const own = b.charCodeAt(start + at - 1);
    const other = (above[at - 1] as number) + (own === unit ? 0 : 1);
    let edits = Math.min((above[at] as number) + 1, (row[at - 1] as number) + 1, other);
    if (at > 1 && down > start && own === last && b.charCodeAt(start + at - 2) === unit)
      edits = Math.min(edits, (aboveThat[at - 2] as number) + 1);
    row[at] = edits;
    if (edits < least) least = edits;
  }
  return least;
}

function grown<Numbers extends { set(numbers: Numbers): void }>(from: Numbers, to: Numbers): Numbers {
  to.set(from);
  return to;
}
