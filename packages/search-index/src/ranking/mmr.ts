export interface Candidate {
  /** 0 to 1. */
  readonly score: number;
  /** Of length 1; null when there is none: then nothing is known to be like it. */
  readonly vector: Float32Array | null;
}

/**
 * Chooses `limit` of some candidates by maximal marginal relevance (Carbonell and Goldstein 1998): each time the one that
 * is relevant and unlike those chosen before.
 *
 * @param candidates best first.
 * @param diversity 0: by score alone; 1: after the best, always what is least like the chosen ones.
 */
export function diversify<Item extends Candidate>(
  candidates: readonly Item[],
  limit: number,
  diversity: number,
): Item[] {
  if (diversity === 0) return candidates.slice(0, limit);
  const left = candidates.map((item) => ({ item, likeness: 0 }));
  // The first is the best at any diversity: nothing has been chosen that it could be like.
  let next = left.shift();
  const chosen: Item[] = [];
  while (next !== undefined) {
    chosen.push(next.item);
    if (chosen.length >= limit) break;
    next = takeBest(left, next.item, diversity);
  }
  return chosen;
}

interface Left<Item> {
  readonly item: Item;
  /** To the chosen one it is most like. */
  likeness: number;
}

function takeBest<Item extends Candidate>(left: Left<Item>[], chosen: Item, diversity: number): Left<Item> | undefined {
  let best = -1;
  let bestValue = Number.NEGATIVE_INFINITY;
  left.forEach((one, index) => {
    one.likeness = Math.max(one.likeness, cosine(one.item.vector, chosen.vector));
    const value = (1 - diversity) * one.item.score - diversity * one.likeness;
    if (value <= bestValue) return;
    bestValue = value;
    best = index;
  });
  return best < 0 ? undefined : left.splice(best, 1)[0];
}

function cosine(a: Float32Array | null, b: Float32Array | null): number {
  if (a === null || b === null) return 0;
  let sum = 0;
  for (let at = 0; at < a.length; at++) sum += (a[at] ?? 0) * (b[at] ?? 0);
  return sum;
}
