import assert from 'node:assert/strict';
import { test } from 'node:test';
import { whyNoPostgres } from '../kit/database/postgres.ts';
import { Random, seedOfRun } from '../kit/random.ts';
import { syncKillRun } from './sync-kills.ts';

const noPostgres = whyNoPostgres() ?? false;

// Stopping a program in between needs /proc.
const isAtomic = process.platform === 'linux';

for (const engine of ['sqlite', 'postgres'] as const) {
  const skip = engine === 'postgres' && noPostgres;
  for (const machines of [2, 3]) {
    test(`${machines} folders and a server on ${engine} become equal after 10,000 changes under kills`, {
      skip,
    }, async (t) => {
      const random = new Random(seedOfRun(t));
      for (let run = 0; run < 5; run++) {
        const seed = random.below(1_000_000);
        const faults = await syncKillRun({ engine, machines, operations: 2000, perKill: 60, seed, isAtomic });
        assert.deepEqual(
          faults,
          [],
          `--engine ${engine} --machines ${machines} --operations 2000 --seed ${seed} --atomic`,
        );
      }
    });
  }
}
