/** How slowly the weight falls with the rank: the value of Cormack, Clarke and Büttcher 2009, who introduced RRF. */
const RANK_OFFSET = 60;

export interface Ranking<Key> {
  /** Best first, each once. */
  readonly keys: readonly Key[];
  /** The ranking's weight relative to the others. */
  readonly weight: number;
}

/**
 * Merges rankings by reciprocal rank fusion: a key near the top of one ranking scores high, and higher when it is near
 * the top of several. The rankings' own scores are ignored, because they cannot be compared.
 *
 * @returns best first. The score is 1 for a key that is first in all rankings. Equal scores stay in order of
 * appearance.
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
