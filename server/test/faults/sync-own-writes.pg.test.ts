import assert from 'node:assert/strict';
import { test } from 'node:test';
import { whyNoPostgres } from '../kit/database/postgres.ts';
import { seedOfRun } from '../kit/random.ts';
import { ownWritesRun } from './sync-own-writes.ts';

// The short form; sync-own-writes.long.test.ts kills 500 times.
const noPostgres = whyNoPostgres() ?? false;

for (const engine of ['sqlite', 'postgres'] as const) {
  // Stopping a program in between needs /proc.
  const skip = process.platform !== 'linux' || (engine === 'postgres' && noPostgres);
  test(`[13.6] folder sync killed while two people write on ${engine} leaves no line twice and no copy`, {
    skip,
  }, async (t) => {
    const seed = seedOfRun(t);
    const { faults } = await ownWritesRun({ engine, kills: 6, seconds: 300, seed });
    assert.deepEqual(
      faults,
      [],
      `node server/test/faults/sync-own-writes.ts --engine ${engine} --kills 6 --seed ${seed}`,
    );
  });
}
