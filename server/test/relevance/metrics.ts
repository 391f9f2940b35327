import { Random } from '../kit/random.ts';

/**
 * 1 for a right note in the first place, 1/2 in the second, and so on; 0 below the tenth.
 *
 * @param found the names of the notes that were found, best first.
 * @param right the names of those that answer the query.
 */
export function reciprocalRank(found: readonly string[], right: readonly string[]): number {
  const at = found.slice(0, 10).findIndex((name) => right.includes(name));
  return at < 0 ? 0 : 1 / (at + 1);
}

export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
}

const SHUFFLES = 10_000;

/**
 * Fisher's randomisation test (Smucker, Allan and Carterette 2007): the probability that a difference of the means this
 * large appears when each query's two values are swapped at random.
 */
export function randomisationTest(one: readonly number[], other: readonly number[]): number {
  const differences = one.map((value, at) => value - (other[at] ?? 0)).filter((difference) => difference !== 0);
  const observed = Math.abs(differences.reduce((sum, difference) => sum + difference, 0));
  if (observed < 1e-9) return 1;
  const random = new Random(differences.length);
  let asLarge = 0;
  for (let shuffle = 0; shuffle < SHUFFLES; shuffle++) {
    let sum = 0;
    for (const difference of differences) sum += random.next() < 0.5 ? difference : -difference;
    if (Math.abs(sum) >= observed - 1e-9) asLarge++;
  }
  return (asLarge + 1) / (SHUFFLES + 1);
}
