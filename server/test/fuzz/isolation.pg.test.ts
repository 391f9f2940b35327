import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nearest } from '@notevault/mcp/edits/nearest.ts';
import { normal } from '../kit/alike.ts';
import { onEachEngine } from '../kit/engines.ts';
import type { World } from '../kit/operations.ts';
import { Random } from '../kit/random.ts';
import { toolOperations } from './isolation.tools.ts';
import { isolationRun, nameWord } from './isolation.ts';

/** The long form: ISOLATION_ROUNDS=50 ISOLATION_SEEDS=20 npm test -- server/test/fuzz/isolation.pg.test.ts */
const ROUNDS = Number(process.env.ISOLATION_ROUNDS ?? 2);
const SEEDS = Number(process.env.ISOLATION_SEEDS ?? 1);

test('what users learn of each other is compared with names that are equally like their own', () => {
  const random = new Random(1);
  const words = Array.from({ length: 200 }, () => nameWord(random));
  for (const { name } of toolOperations) {
    for (const pathOf of [(word: string) => `File ${word}.txt`, (word: string) => `Note ${word}.md`]) {
      const own = [pathOf(`of-${name}`)];
      const suggested = words.map((word) => nearest(own, pathOf(word), (path) => path).length);
      assert.equal(new Set(suggested).size, 1, `some names are like ${own[0]}, and others are not`);
    }
  }
});

test('a cursor is replaced as a whole, also when it begins like the secret of an authenticator app', () => {
  assert.equal(normal(`"${'A'.repeat(32)}-SIZRzu-AE7N"`, {} as World, []), '"<opaque>"');
});

onEachEngine('what users learn of each other by naming each other’s things', (open) => {
  for (let seed = 1; seed <= SEEDS; seed++) {
    test(`is nothing (seed ${seed})`, async () => {
      assert.deepEqual((await isolationRun(open, seed, ROUNDS)).slice(0, 20), []);
    });

    test(`is nothing through the tools of assistants (seed ${seed})`, async () => {
      assert.deepEqual((await isolationRun(open, seed, ROUNDS, toolOperations)).slice(0, 20), []);
    });
  }
});
