export interface MmrCandidate {
  /** Relevance, 0 to 1. */
  readonly score: number;
  /** A unit vector; null when there is none. */
  readonly vector: Float32Array | null;
  /** Words to compare if one of two candidates has no vector. */
  readonly words: ReadonlySet<string>;
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
    candidate.similarity = Math.max(candidate.similarity, similarityOf(candidate.item, chosen));
    const value = (1 - diversity) * candidate.item.score - diversity * candidate.similarity;
    if (value <= bestValue) return;
    bestValue = value;
    best = index;
  });
  return best < 0 ? undefined : remaining.splice(best, 1)[0];
}

/** Returns the cosine of two candidates' vectors, else of their sets of words. */
function similarityOf(a: MmrCandidate, b: MmrCandidate): number {
  if (a.vector === null || b.vector === null) {
    const common = a.words.intersection(b.words).size;
    return common === 0 ? 0 : common / Math.sqrt(a.words.size * b.words.size);
  }
  let sum = 0;
  for (let at = 0; at < a.vector.length; at++) sum += (a.vector[at] ?? 0) * (b.vector[at] ?? 0);
  return sum;
}
