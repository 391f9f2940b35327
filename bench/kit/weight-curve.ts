import { mean, randomisationTest, reciprocalRank } from '@notevault/search-index/tuning/metrics.ts';
import type { Embedder } from '../../server/src/ports/embedder/embedder.ts';
import type { GoldenQuery, Part } from '../../server/test/relevance/golden-query.ts';
import type { GoldenVault } from '../../server/test/relevance/golden-set.ts';
import { SearchedVault } from '../../server/test/relevance/searched-vault.ts';

const WEIGHTS = Array.from({ length: 11 }, (_, step) => step / 10);
/** How far the chance level of a model without one of its own is above the mean cosine. */
const MARGINS = [0, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4];

interface QualityOfWeight {
  readonly margin: number | string;
  readonly weight: number;
  readonly all: string;
  readonly question: string;
  /** The lowest difference from the words alone that a vault or a kind of query has. */
  readonly worst: string;
  readonly p: string;
}

/** The mean reciprocal rank of hybrid mode, times 100, by the weight of the vectors and the margin of the chance level. */
export async function qualityByWeight(
  vaults: readonly GoldenVault[],
  part: Part,
  embedder: Embedder,
): Promise<QualityOfWeight[]> {
  const { noise } = await embedder.space(new AbortController().signal);
  const margins = noise === null ? MARGINS : [null];
  /** The reciprocal ranks of each query by margin, then by weight. */
  const ranks = new Map<GoldenQuery, number[][]>();
  const byWords = new Map<GoldenQuery, number>();
  for (const { notes, queries } of vaults) {
    const vault = await SearchedVault.of(notes, embedder);
    for (const query of queries.filter((own) => own.part === part)) {
      byWords.set(query, reciprocalRank(await vault.find(query.query, 'keyword'), query.notes));
      const rows: number[][] = [];
      for (const margin of margins) {
        const rankings = await vault.findByWeight(query.query, WEIGHTS, margin);
        rows.push(rankings.map((found) => reciprocalRank(found, query.notes)));
      }
      ranks.set(query, rows);
    }
  }
  return margins.flatMap((margin, row) =>
    WEIGHTS.map((weight, column) => {
      const valueIn = (query: GoldenQuery) => ranks.get(query)?.[row]?.[column] ?? 0;
      return { margin: margin ?? 'its own', weight, ...qualityOf(valueIn, byWords) };
    }),
  );
}

/** Compares the values of queries with those that words alone give. */
function qualityOf(valueIn: (query: GoldenQuery) => number, byWords: ReadonlyMap<GoldenQuery, number>) {
  const queries = [...byWords.keys()];
  const lead = (among: readonly GoldenQuery[]) =>
    mean(among.map((query) => valueIn(query) - (byWords.get(query) ?? 0)));
  const groups = [...Map.groupBy(queries, ({ kind }) => kind).values()];
  groups.push(...Map.groupBy(queries, ({ vault }) => vault).values());
  const questions = queries.filter(({ kind }) => kind === 'question');
  return {
    all: (100 * mean(queries.map(valueIn))).toFixed(2),
    question: (100 * mean(questions.map(valueIn))).toFixed(2),
    worst: (100 * Math.min(...groups.map(lead))).toFixed(2),
    p: randomisationTest(queries.map(valueIn), [...byWords.values()]).toFixed(4),
  };
}
