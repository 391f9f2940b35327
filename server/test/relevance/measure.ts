import type { SearchMode } from '@notevault/search-index/ranking/hybrid.ts';
import type { Embedder } from '../../src/ports/embedder/embedder.ts';
import type { GoldenQuery, Part } from './golden-query.ts';
import type { GoldenVault } from './golden-set.ts';
import { mean, reciprocalRank } from './metrics.ts';
import { SearchedVault } from './searched-vault.ts';

/** The reciprocal rank of each query by mode. */
export type Ranks = Map<GoldenQuery, Readonly<Record<string, number>>>;

/** Runs the queries of one part in some modes. */
export async function ranksOf(
  vaults: readonly GoldenVault[],
  part: Part,
  modes: readonly SearchMode[],
  embedder: Embedder,
): Promise<Ranks> {
  const ranks: Ranks = new Map();
  for (const { notes, queries } of vaults) {
    const searched = await SearchedVault.of(notes, embedder);
    for (const query of queries) {
      if (query.part !== part) continue;
      const own: Record<string, number> = {};
      for (const mode of modes) own[mode] = reciprocalRank(await searched.find(query.query, mode), query.notes);
      ranks.set(query, own);
    }
  }
  return ranks;
}

/** The mean reciprocal rank by mode and by kind of query, and by mode and vault, in points of a hundred. */
export function meansOf(ranks: Ranks, modes: readonly SearchMode[]): Record<string, number> {
  const means: Record<string, number> = {};
  for (const mode of modes) {
    for (const by of ['kind', 'vault'] as const) {
      for (const [name, queries] of Map.groupBy(ranks.keys(), (query) => query[by])) {
        const values = queries.map((query) => ranks.get(query)?.[mode] ?? 0);
        means[`${mode}, ${name}`] = Math.round(1000 * mean(values)) / 10;
      }
    }
  }
  return means;
}
