export interface MmrCandidate {
  /** Relevance, 0 to 1. */
  readonly score: number;
  /** A unit vector; null when there is none: the candidate then counts as similar to nothing. */
  readonly vector: Float32Array | null;
}

/**
 * Chooses `limit` candidates by maximal marginal relevance (Carbonell and Goldstein 1998): each step takes the most
 * relevant candidate that is least similar to those already chosen.
 *
 * @param candidates best first.
 * @param diversity 0 chooses by score alone; 1 takes the best and then whatever is least similar to the chosen ones.
 */
export function diversify<Item extends MmrCandidate>(
  candidates: readonly Item[],
  limit: number,
  diversity: number,
): Item[] {
  if (diversity === 0) return candidates.slice(0, limit);
  const remaining = candidates.map((item) => ({ item, similarity: 0 }));
  // The best candidate always comes first, because nothing has been chosen yet.
  let next = remaining.shift();
  const chosen: Item[] = [];
  while (next !== undefined) {
    chosen.push(next.item);
    if (chosen.length >= limit) break;
    next = takeBest(remaining, next.item, diversity);
  }
  return chosen;
}

interface Remaining<Item> {
  readonly item: Item;
  /** Cosine to the most similar chosen item. */
  similarity: number;
}

/** Removes and returns the best remaining item, after the similarities are updated for the item just chosen. */
function takeBest<Item extends MmrCandidate>(
  remaining: Remaining<Item>[],
  chosen: Item,
  diversity: number,
): Remaining<Item> | undefined {
  let best = -1;
  let bestValue = Number.NEGATIVE_INFINITY;
  remaining.forEach((candidate, index) => {
    candidate.similarity = Math.max(candidate.similarity, cosine(candidate.item.vector, chosen.vector));
    const value = (1 - diversity) * candidate.item.score - diversity * candidate.similarity;
    if (value <= bestValue) return;
    bestValue = value;
    best = index;
  });
  return best < 0 ? undefined : remaining.splice(best, 1)[0];
}

function cosine(a: Float32Array | null, b: Float32Array | null): number {
  if (a === null || b === null) return 0;
  let sum = 0;
  for (let at = 0; at < a.length; at++) sum += (a[at] ?? 0) * (b[at] ?? 0);
  return sum;
}
