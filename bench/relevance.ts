import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { builtinEmbedder } from '../server/src/ports/embedder/builtin.ts';
import type { Embedder } from '../server/src/ports/embedder/embedder.ts';
import { httpEmbedder } from '../server/src/ports/embedder/http.ts';
import type { GoldenQuery, Part } from '../server/test/relevance/golden-query.ts';
import {
  type GoldenVault,
  goldenVaults,
  lineVaults,
  mixedVault,
  publishedVaults,
} from '../server/test/relevance/golden-set.ts';
import { meansOf, type Ranks, ranksOf } from '../server/test/relevance/measure.ts';
import { mean, randomisationTest, reciprocalRank } from '../server/test/relevance/metrics.ts';
import { SearchedVault } from '../server/test/relevance/searched-vault.ts';
import { withoutEach } from './kit/ablation.ts';
import { references } from './kit/reference-engines.ts';

// How good are the results? Prints the mean reciprocal rank (times 100) of the right note by language and by kind of
// query, for all modes and for other engines over the same notes, and the p-values of randomisation tests.
// `npm run bench -- relevance` looks at the part of the golden set to tune with, `--report` at the other part; `--save x`
// writes the value of each query, `--against x` compares with them; `--misses keyword` lists queries without the right
// note in the first place. `--accept` writes what the tests hold the search to. `--embeddings URL` uses a server with
// OpenAI's `/embeddings` in place of the built-in embedder; `--vaults en,de` takes these vaults only.
const { values: flags } = parseArgs({
  options: {
    report: { type: 'boolean', default: false },
    'own-only': { type: 'boolean', default: false },
    save: { type: 'string' },
    against: { type: 'string' },
    misses: { type: 'string' },
    accept: { type: 'boolean', default: false },
    ablate: { type: 'boolean', default: false },
    embeddings: { type: 'string' },
    vaults: { type: 'string' },
  },
  allowPositionals: true,
});
const part: Part = flags.report ? 'report' : 'tune';
if (flags.accept) {
  const ranks = await ranksOf([...goldenVaults(), ...lineVaults()], 'tune', ['keyword', 'hybrid'], builtinEmbedder());
  const means = meansOf(ranks, ['keyword', 'hybrid']);
  const file = join(import.meta.dirname, '../server/test/relevance/accepted.json');
  writeFileSync(file, `${JSON.stringify(means, null, 2)}\n`);
  process.exit();
}
if (flags.ablate) {
  await ablate();
  process.exit();
}
const OURS = ['keyword', 'hybrid', 'vector'] as const;
const engines = [...OURS, ...Object.keys(references)];

const ranks: Ranks = new Map();
const inSnippet: number[] = [];
const empty = { keyword: 0, hybrid: 0, vector: 0 };
const shared = join(import.meta.dirname, '../../shared/vaults');
const own = goldenVaults();
const chosen = flags.vaults?.split(',');
const vaults = [...own, mixedVault(own), ...lineVaults(), ...(flags['own-only'] ? [] : publishedVaults(shared))].filter(
  ({ name }) => chosen === undefined || chosen.includes(name),
);
const embedder = flags.embeddings === undefined ? builtinEmbedder() : serverEmbedder(flags.embeddings);
for (const vault of vaults) await measure(vault);

function serverEmbedder(url: string): Embedder {
  const delay = (ms: number) => setTimeout(ms);
  return httpEmbedder({
    url,
    model: 'bench',
    key: null,
    delay,
    now: Date.now,
    jitter: Math.random,
    timeoutMs: 600_000,
  });
}

async function measure({ notes, queries }: GoldenVault): Promise<void> {
  const ours = await SearchedVault.of(notes, embedder);
  const others = Object.entries(references).map(([name, make]) => [name, make(notes)] as const);
  for (const query of queries) {
    if (query.part !== part) continue;
    const own: Record<string, number> = {};
    for (const mode of OURS) {
      const found = await ours.find(query.query, mode);
      own[mode] = reciprocalRank(found, query.notes);
      if (found.length === 0) empty[mode]++;
      if (mode === flags.misses && own[mode] < 1)
        console.log(
          `${query.vault} | ${query.kind} | ${query.query} | ${query.notes[0]} | ${found.slice(0, 3).join(', ')}`,
        );
    }
    for (const [name, find] of others) own[name] = reciprocalRank(find(query.query), query.notes);
    ranks.set(query, own);
    if (query.answer !== null) await measureSnippet(ours, query, query.answer);
  }
}

/** Whether the snippet of the right note shows most of the sentence that the query was taken from. */
async function measureSnippet(ours: SearchedVault, { query, notes }: GoldenQuery, answer: string): Promise<void> {
  const snippet = await ours.snippet(query, notes[0] ?? '');
  if (snippet === null) return;
  const words = answer.split(/[\s]+/);
  const wanted = words.length > 3 ? words : [...answer];
  inSnippet.push(wanted.filter((word) => snippet.includes(word)).length / wanted.length > 0.7 ? 1 : 0);
}

function table(by: 'vault' | 'kind'): void {
  const groups = Map.groupBy(ranks.keys(), (query) => query[by]);
  const rows = [...groups].map(([name, queries]) => rowOf(name, queries));
  console.table([...rows, rowOf('all', [...ranks.keys()])]);
}

function valuesOf(queries: readonly GoldenQuery[], engine: string): number[] {
  return queries.map((query) => ranks.get(query)?.[engine] ?? 0);
}

function rowOf(name: string, queries: readonly GoldenQuery[]): Record<string, string | number> {
  const cells = engines.map((engine) => [engine, (100 * mean(valuesOf(queries, engine))).toFixed(1)]);
  return { name, queries: queries.length, ...Object.fromEntries(cells) };
}

/** Keyword against every other engine, and hybrid against keyword, over all queries. */
function tests(): void {
  const all = [...ranks.keys()];
  const pairs = [['hybrid', 'keyword'], ...Object.keys(references).map((name) => ['keyword', name])] as const;
  console.table(
    pairs.map(([one = '', other = '']) => {
      const [mine, theirs] = [valuesOf(all, one), valuesOf(all, other)];
      return { pair: `${one} − ${other}`, ...difference(mine, theirs) };
    }),
  );
}

function difference(mine: readonly number[], theirs: readonly number[]) {
  return {
    difference: (100 * (mean(mine) - mean(theirs))).toFixed(2),
    p: randomisationTest(mine, theirs).toFixed(4),
  };
}

const keyOf = ({ vault, kind, query }: GoldenQuery) => `${vault}\t${kind}\t${query}`;

function compare(file: string): void {
  const before = new Map(JSON.parse(readFileSync(file, 'utf8')) as [string, Record<string, number>][]);
  const known = [...ranks.keys()].filter((query) => before.has(keyOf(query)));
  const rows = OURS.flatMap((mode) =>
    [...Map.groupBy(known, ({ kind }) => kind), ['all', known] as const].map(([kind, queries]) => {
      const then = queries.map((query) => before.get(keyOf(query))?.[mode] ?? 0);
      return { mode, kind, queries: queries.length, ...difference(valuesOf(queries, mode), then) };
    }),
  );
  console.table(rows);
}

/** The vaults of the repository only: indexing those outside takes longer than this bench should. */
async function ablate(): Promise<void> {
  const own = goldenVaults();
  const searched = await Promise.all(
    [...own, mixedVault(own)].map(async ({ notes, queries }) => {
      return { queries, vault: await SearchedVault.of(notes, builtinEmbedder(), false) };
    }),
  );
  const results = await withoutEach(async () => {
    const found: Ranks = new Map();
    for (const { queries, vault } of searched) {
      for (const query of queries) {
        if (query.part !== 'tune') continue;
        found.set(query, { keyword: reciprocalRank(await vault.find(query.query, 'keyword'), query.notes) });
      }
    }
    return found;
  });
  const [[, all] = ['', new Map()]] = results;
  const queries = [...all.keys()];
  const valuesIn = (of: Ranks, among: readonly GoldenQuery[]) => among.map((query) => of.get(query)?.keyword ?? 0);
  const rows = [...results].map(([without, found]) => {
    const losses = [...Map.groupBy(queries, ({ kind }) => kind)].map(([kind, among]) => {
      const loss = mean(valuesIn(found, among)) - mean(valuesIn(all, among));
      return [kind, (100 * loss).toFixed(1)];
    });
    return { without, ...Object.fromEntries(losses), ...difference(valuesIn(found, queries), valuesIn(all, queries)) };
  });
  console.table(rows);
}

table('vault');
table('kind');
tests();
console.log(
  `answers of nothing: ${JSON.stringify(empty)} of ${ranks.size}; sentence in the snippet: ${(100 * mean(inSnippet)).toFixed(1)} % of ${inSnippet.length}`,
);
if (flags.save !== undefined)
  writeFileSync(flags.save, JSON.stringify([...ranks].map(([query, own]) => [keyOf(query), own])));
if (flags.against !== undefined) compare(flags.against);
