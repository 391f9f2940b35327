import type { VaultIndex } from '../index/vault-index.ts';
import type { TermVariant } from '../query/query-expansion.ts';

/**
 * The parameters of the ranking: BM25F (Robertson and Zaragoza 2009), which weights fields in the term frequency before
 * saturating it, and what is added to it. They were tuned on the golden set (docs/adr/0015-search.md).
 */
export const PARAMETERS = {
  k1: 0.9,
  /** BM25's b of bodies and of titles: how much length counts against a text. */
  bodyB: 0.75,
  titleB: 0.5,
  title: 12,
  heading: 2.5,
  label: 1.5,
  body: 1,
  /** The share of a note's score that comes from its best chunk. */
  chunk: 0.5,
  /** The largest bonus for notes in which neighbours of the query are neighbours too. */
  proximity: 0.45,
  /** The share of its idf that a function word keeps. */
  functionWord: 0.2,
  /** Share of the score that a note loses if it contains only one of two words; with more words each counts less. */
  coverage: 0.9,
  /** Additional penalty on the score of a worse word form, besides its lower frequency. */
  quality: 0.2,
  /** The bonus for a note whose title, alias or file name is the query. */
  wholeTitle: 0.9,
  /** Bonus for a title that begins with the query, which may still be being typed. */
  titleStart: 0.8,
  /** The bonus for a note with a tag of the query. */
  tag: 0.6,
};

/** A word of the query, with its terms in the vault. */
export interface QueryTerm {
  readonly variants: readonly TermVariant[];
  /** The share of its idf that counts; small for function words. */
  readonly share: number;
  idf: number;
}

/** Returns a term's contribution to a score, from its frequency and its best form. */
export const termScore = (idf: number, frequency: number, weight: number) =>
  idf * saturate(frequency) * qualityOf(weight);

/** The factor of a score that a form of a word gives. */
export const qualityOf = (weight: number) => (weight === 1 ? 1 : weight ** PARAMETERS.quality);

/** Returns the factor of a note that has only a share of the query, by idf. */
export function coverageFactor(share: number, terms: number): number {
  return terms < 2 ? 1 : 1 - (PARAMETERS.coverage / (terms - 1)) * (1 - share);
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
