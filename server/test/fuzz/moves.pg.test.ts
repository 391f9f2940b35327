import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEachEngine } from '../kit/engines.ts';
import { movesRun } from './moves.ts';

/** Seeds of runs that once failed. */
const KNOWN = [274, 540, 605, 1534, 10_592];
const OTHERS = Array.from({ length: 5 }, (_, at) => at + 1);

onEachEngine('writing, moving and deleting at random, from two servers', (open) => {
  test('keeps every link, every note and every count', async () => {
    const faults = [...(await movesRun(open, KNOWN)), ...(await movesRun(open, OTHERS, { swaps: true }))];
    // A fault may contain whole lists of folders.
    assert.deepEqual(
      faults.map((fault) => fault.slice(0, 500)),
      [],
    );
  });
});
