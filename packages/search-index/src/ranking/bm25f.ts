import type { VaultIndex } from '../index/vault-index.ts';
import type { TermVariant } from '../query/query-expansion.ts';

/**
 * The parameters of the ranking: BM25F (Robertson and Zaragoza 2009), which weights fields in the term frequency before
 * saturating it. They were tuned on the golden queries of the tests; small changes make little difference.
 */
export const PARAMETERS = {
  k1: 1.6,
  /** BM25's b of bodies and of titles: how much length counts against a text. */
  bodyB: 0.5,
  titleB: 0.5,
  title: 8,
  heading: 2.5,
  label: 1.5,
  body: 1,
  /** The share of a note's score that comes from its best chunk. */
  chunk: 0.5,
  /** The largest bonus for notes in which neighbours of the query are neighbours too. */
  proximity: 0.15,
  /** The share of its idf that a function word keeps. */
  functionWord: 0.05,
} as const;

/** A word of the query, with its terms in the vault. */
export interface QueryTerm {
  readonly variants: readonly TermVariant[];
  /** The share of its idf that counts; small for function words. */
  readonly share: number;
  idf: number;
}

export const saturate = (frequency: number) => (frequency * (PARAMETERS.k1 + 1)) / (frequency + PARAMETERS.k1);

/** The idf of a term that `matching` of `total` notes have. */
export const inverseDocumentFrequency = (matching: number, total: number) =>
  Math.log(1 + (total - matching + 0.5) / (matching + 0.5));

/** The divisors that make a word in a long text count less. */
export class LengthNorms {
  readonly #body: number;
  readonly #title: number;

  constructor({ averageBodyWords, averageTitleWords }: VaultIndex) {
    this.#body = PARAMETERS.bodyB / Math.max(1, averageBodyWords);
    this.#title = PARAMETERS.titleB / Math.max(1, averageTitleWords);
  }

  body(words: number): number {
    return 1 - PARAMETERS.bodyB + this.#body * words;
  }

  title(words: number): number {
    return 1 - PARAMETERS.titleB + this.#title * words;
  }
}
