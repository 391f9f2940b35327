import type { Variant } from './expand.ts';
import type { VaultIndex } from './vault-index.ts';

/**
 * BM25F (Robertson, Zaragoza 2009): fields weigh in the term frequency, before it is saturated. The numbers were chosen by
 * the golden queries of the tests, and are not delicate.
 */
export const scoring = {
  k1: 1.6,
  /** How much the length of a body, or of a title, counts against it. */
  bodyLength: 0.5,
  titleLength: 0.5,
  title: 8,
  heading: 2.5,
  label: 1.5,
  body: 1,
  /** How much of a note's score is its best chunk's. */
  chunk: 0.5,
  /** What neighbours in the query that are neighbours in the note are worth at most. */
  neighbours: 0.15,
  /** What is left of the rarity of a word that only holds a question together. */
  functionWord: 0.05,
} as const;
/** A word of the query. */
export interface Term {
  readonly variants: readonly Variant[];
  /** How much of its rarity counts: little for words that only hold a question together. */
  readonly share: number;
  idf: number;
}

export const saturated = (tf: number) => (tf * (scoring.k1 + 1)) / (tf + scoring.k1);

/** Makes the words of long texts count less. */
export class Norms {
  readonly #body: number;
  readonly #title: number;
  constructor({ averageBodyWords, averageTitleWords }: VaultIndex) {
    this.#body = scoring.bodyLength / Math.max(1, averageBodyWords);
    this.#title = scoring.titleLength / Math.max(1, averageTitleWords);
  }
  body(words: number): number {
    return 1 - scoring.bodyLength + this.#body * words;
  }
  title(words: number): number {
    return 1 - scoring.titleLength + this.#title * words;
  }
}
