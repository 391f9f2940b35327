/** How slowly the weight of a place in a ranking falls; the value of Cormack, Clarke and Büttcher 2009, where RRF is from. */
const RANK_OFFSET = 60;

export interface Ranking<Key> {
  /** Best first, each once. */
  readonly keys: readonly Key[];
  /** What the ranking counts beside the others. */
  readonly weight: number;
}

/**
 * Merges rankings by reciprocal rank fusion: what stands high in any of them, and higher what stands high in several. The
 * scores of the rankings themselves do not count, as they cannot be compared.
 *
 * @returns best first; a score of 1 would be the first place in all rankings. Equal scores: as first seen.
 */
export function fuse<Key>(rankings: readonly Ranking<Key>[]): { key: Key; score: number }[] {
  const best = rankings.reduce((sum, { weight }) => sum + weight / (RANK_OFFSET + 1), 0);
  const scores = new Map<Key, number>();
  for (const { keys, weight } of rankings) {
    keys.forEach((key, index) => {
      scores.set(key, (scores.get(key) ?? 0) + weight / (RANK_OFFSET + 1 + index));
    });
  }
  return [...scores].map(([key, sum]) => ({ key, score: sum / best })).sort((a, b) => b.score - a.score);
}
