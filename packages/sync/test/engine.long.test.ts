import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runSeeds } from './simulation/run.ts';
import { runTriples } from './triples.ts';

test('in 20,000 seeds three devices, people and an assistant end in sync, with no word lost', async () => {
  assert.deepEqual(await runSeeds(1_000_000, 20_000), []);
});

test('in 20,000 seeds with members no viewer sends anything, and no word is lost', async () => {
  assert.deepEqual(await runSeeds(2_000_000, 20_000, { hasMembers: true }), []);
});

test('in 20,000 seeds with names that are swapped and go in circles no word is lost', async () => {
  assert.deepEqual(await runSeeds(3_000_000, 20_000, { hasExchanges: true }), []);
});

test('in 20,000 seeds with stale folder copies no word is lost, and no earlier own text is kept as a copy', async () => {
  assert.deepEqual(await runSeeds(4_000_000, 20_000, { hasCopies: true }), []);
});

test('a million random triples of trees converge and lose nothing that either side wrote', () => {
  assert.deepEqual(runTriples(1_000_000, 1_000_000), []);
});
