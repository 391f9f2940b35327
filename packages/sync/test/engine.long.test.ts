import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runSeeds } from './simulation/run.ts';
import { runTriples } from './triples.ts';

test('20,000 seeds of three devices, people and an assistant end in step, with no word lost', async () => {
  assert.deepEqual(await runSeeds(1_000_000, 20_000), []);
});

test('a million triples of trees converge, and lose nothing that one side wrote', () => {
  assert.deepEqual(runTriples(1_000_000, 1_000_000), []);
});
