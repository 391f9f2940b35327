import type { VectorHit } from '../vectors/vault-vectors.ts';
import type { KeywordHit } from './rank.ts';

/** How the scores by vectors count. */
export interface BlendOptions {
  /** The largest part of a score that vectors add; words add at most 1. */
  readonly weight: number;
  /** Cosines up to this value occur by chance. */
  readonly minCosine: number;
}

/**
 * Ranks the notes that words or vectors found by a weighted sum of both scores. A score by words is the share of the best
 * possible score, so where words find little, it is low, and notes that only vectors find come up.
 *
 * @returns best first; the scores are from 0 to 1.
 */
export function blend(
  byWords: readonly KeywordHit[],
  byVectors: readonly VectorHit[],
  { weight, minCosine }: BlendOptions,
): (KeywordHit | VectorHit)[] {
  const vectorScores = new Map(byVectors.map(({ id, score }) => [id, (score - minCosine) / (1 - minCosine)]));
  const found = new Set(byWords.map(({ id }) => id));
  const hits = [...byWords, ...byVectors.filter(({ id }) => !found.has(id))].map((hit) => {
    const words = found.has(hit.id) ? hit.score : 0;
    return { ...hit, score: (words + weight * Math.max(0, vectorScores.get(hit.id) ?? 0)) / (1 + weight) };
  });
  return hits.sort((a, b) => b.score - a.score || (a.id < b.id ? 1 : -1));
}
