import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runSeeds } from './simulation/run.ts';

test('150 seeds of three devices, people and an assistant end in step, with no word lost, and run again alike', async () => {
  assert.deepEqual(await runSeeds(1, 150), []);
});
