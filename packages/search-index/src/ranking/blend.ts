import type { VectorHit } from '../vectors/vault-vectors.ts';
import type { KeywordHit } from './rank.ts';

/** Options for blending vector scores with word scores. */
export interface BlendOptions {
  /** Maximum score that vectors add for a note without matching words, from 0 to 1. */
  readonly weight: number;
  /** Cosines up to this value occur by chance. */
  readonly minCosine: number;
}

/** Maximum score of a note that only vectors find: below every note that words find. */
const BELOW_WORDS = 0.1;

/**
 * Ranks the notes that words or vectors found. Vectors add to the scores by words, the more the less the words find: a
 * score by words is the share of the best possible score. A note that has all words of the query is never moved down by
 * one that lacks a word, because a vector knows less about such a query than its words say. With a weight of 0, vectors
 * only add notes below those that words find.
 *
 * @param byWords best first.
 * @returns best first; the scores are from 0 to 1.
 */
export function blend(
  byWords: readonly KeywordHit[],
  byVectors: readonly VectorHit[],
  { weight, minCosine }: BlendOptions,
): (KeywordHit | VectorHit)[] {
  const aboveChance = (cosine: number) => Math.max(0, (cosine - minCosine) / (1 - minCosine));
  const vectorScores = new Map(byVectors.map(({ id, score }) => [id, aboveChance(score)]));
  const gain = weight * (1 - (byWords[0]?.score ?? 0));
  // The score of the last complete note so far: what follows it stays below it.
  let most = 1;
  const hits = byWords.map((hit): KeywordHit | VectorHit => {
    if (hit.leastWeight > 0) {
      most = hit.score;
      return hit;
    }
    return { ...hit, score: Math.min(most, hit.score + gain * (vectorScores.get(hit.id) ?? 0)) };
  });
  const last = byWords.at(-1)?.score ?? 1;
  const found = new Set(byWords.map(({ id }) => id));
  for (const hit of byVectors) {
    if (found.has(hit.id)) continue;
    const near = vectorScores.get(hit.id) ?? 0;
    hits.push({ ...hit, score: Math.max(Math.min(most, gain * near), Math.min(last, BELOW_WORDS * near)) });
  }
  // Sorting is stable, so of equal scores the one that words rank higher comes first.
  return hits.sort((a, b) => b.score - a.score);
}
