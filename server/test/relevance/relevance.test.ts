import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { builtinEmbedder } from '../../src/ports/embedder/builtin.ts';
import { goldenVaults, lineVaults } from './golden-set.ts';
import { meansOf, ranksOf } from './measure.ts';
import { mean, randomisationTest, reciprocalRank } from './metrics.ts';

const MODES = ['keyword', 'hybrid'] as const;
/** In points of a hundred. */
const MAX_LOSS = 1;

test('search is at most a point worse than it was, for each language and each kind of query', async (t) => {
  const file = new URL('accepted.json', import.meta.url);
  const accepted = JSON.parse(readFileSync(file, 'utf8')) as Record<string, number>;
  const ranks = await ranksOf([...goldenVaults(), ...lineVaults()], 'tune', MODES, builtinEmbedder());
  const means = meansOf(ranks, MODES);
  assert.deepEqual(Object.keys(means).sort(), Object.keys(accepted).sort());
  t.diagnostic(JSON.stringify(means));
  const worse = Object.entries(accepted).filter(([name, value]) => (means[name] ?? 0) < value - MAX_LOSS);
  const losses = worse.map(([name, value]) => `${name}: ${means[name]} instead of ${value}`);
  assert.deepEqual(losses, [], 'if this is meant, accept it: npm run bench -- relevance --accept');
});

test('the golden set has at least 600 queries to tune with and to report, in fifteen languages', () => {
  const vaults = goldenVaults();
  const queries = vaults.flatMap((vault) => vault.queries);
  assert.equal(vaults.length, 15);
  for (const part of ['tune', 'report']) assert.ok(queries.filter((query) => query.part === part).length >= 600, part);
  for (const { notes, queries: own } of vaults) {
    for (const query of own)
      assert.ok(
        query.notes.every((path) => notes.has(path)),
        query.query,
      );
  }
});

test('the reciprocal rank and the randomisation test give the values of their definitions', () => {
  assert.deepEqual(
    [reciprocalRank(['a', 'b'], ['b']), reciprocalRank(['a'], ['b']), reciprocalRank(['a', 'b'], ['b', 'a'])],
    [0.5, 0, 1],
  );
  assert.equal(mean([1, 0]), 0.5);
  assert.equal(randomisationTest([1, 0.5], [1, 0.5]), 1);
  // Ten equal differences point one way in 2 of 2^10 cases.
  const chance = randomisationTest(Array(10).fill(1), Array(10).fill(0));
  assert.ok(Math.abs(chance - 2 / 1024) < 0.001, `${chance}`);
  assert.equal(randomisationTest([1, 0], [0, 1]), 1);
});
