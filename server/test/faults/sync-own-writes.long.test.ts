import assert from 'node:assert/strict';
import { test } from 'node:test';
import { whyNoPostgres } from '../kit/database/postgres.ts';
import { seedOfRun } from '../kit/random.ts';
import { ownWritesRun } from './sync-own-writes.ts';

const noPostgres = whyNoPostgres() ?? false;

for (const engine of ['sqlite', 'postgres'] as const) {
  const skip = process.platform !== 'linux' || (engine === 'postgres' && noPostgres);
  test(`[13.6] folder sync killed 500 times while two people write on ${engine} leaves no line twice`, {
    skip,
  }, async (t) => {
    const seed = seedOfRun(t);
    const { kills, faults } = await ownWritesRun({ engine, kills: 500, seconds: 3600, seed });
    assert.deepEqual(
      faults,
      [],
      `node server/test/faults/sync-own-writes.ts --engine ${engine} --kills 500 --seed ${seed}`,
    );
    assert.equal(kills, 500);
  });
}
