import assert from 'node:assert/strict';
import { test } from 'node:test';
import { whyNoPostgres } from '../kit/database/postgres.ts';
import { seedOfRun } from '../kit/random.ts';
import { syncKillRun } from './sync-kills.ts';

// The short form; sync-kills.long.test.ts makes 10,000 changes.
const noPostgres = whyNoPostgres() ?? false;

// Stopping a program in between needs /proc.
const isAtomic = process.platform === 'linux';

for (const engine of ['sqlite', 'postgres'] as const) {
  const skip = engine === 'postgres' && noPostgres;
  test(`two folders and a server on ${engine} that are killed at random become equal and lose no line`, {
    skip,
  }, async (t) => {
    const seed = seedOfRun(t);
    const faults = await syncKillRun({ engine, machines: 2, operations: 50, perKill: 20, seed, isAtomic });
    const again = `node server/test/faults/sync-kills.ts --engine ${engine} --operations 50 --per-kill 20 --seed ${seed} --atomic`;
    assert.deepEqual(faults, [], again);
  });
}
