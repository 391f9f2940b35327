import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Random, seedOfRun } from '../kit/random.ts';
import { HELD_MS_MAX, searchForCost, shown } from './cost.ts';

test('no input of one account holds the event loop for long (4 inputs)', async (t) => {
  const seed = new Random(seedOfRun(t)).below(2 ** 30);
  const corpus = await searchForCost({ seed, inputs: 4 });
  const over = corpus.filter(({ heldMs }) => heldMs > HELD_MS_MAX).map(shown);
  assert.deepEqual(over, [], `seed ${seed}`);
});
