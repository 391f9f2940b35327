import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEachEngine } from '../kit/engines.ts';
import { toolOperations } from './isolation.tools.ts';
import { isolationRun } from './isolation.ts';

/** The long form: ISOLATION_ROUNDS=50 ISOLATION_SEEDS=20 npm test -- server/test/fuzz/isolation.pg.test.ts */
const ROUNDS = Number(process.env.ISOLATION_ROUNDS ?? 2);
const SEEDS = Number(process.env.ISOLATION_SEEDS ?? 1);

onEachEngine('what users learn of each other by naming each other’s things', (open) => {
  for (let seed = 1; seed <= SEEDS; seed++) {
    test(`what users learn of each other by naming each other’s things is nothing (seed ${seed})`, async () => {
      assert.deepEqual((await isolationRun(open, seed, ROUNDS)).slice(0, 20), []);
    });

    test(`what users learn of each other by naming each other’s things is nothing through the tools of assistants (seed ${seed})`, async () => {
      assert.deepEqual((await isolationRun(open, seed, ROUNDS, toolOperations)).slice(0, 20), []);
    });
  }
});
