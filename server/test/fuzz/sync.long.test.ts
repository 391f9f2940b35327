import assert from 'node:assert/strict';
import { test } from 'node:test';
import { whyNoPostgres } from '../kit/database/postgres.ts';
import { Random, seedOfRun } from '../kit/random.ts';
import { MODES, type Mode } from './sync.requests.ts';
import { runSeeds } from './sync.ts';

/** Number of seeds for each mode and engine. Each run uses new seeds; every fault names its seed. */
const SEEDS: Readonly<Record<'sqlite' | 'postgres', Readonly<Record<Mode, number>>>> = {
  sqlite: { ordinary: 4000, deletes: 1500, trash: 1500, swaps: 1000 },
  postgres: { ordinary: 800, deletes: 300, trash: 300, swaps: 200 },
};

const noPostgres = whyNoPostgres() ?? false;

for (const engine of ['sqlite', 'postgres'] as const) {
  for (const mode of MODES) {
    const count = SEEDS[engine][mode];
    const skip = engine === 'postgres' && noPostgres;
    test(`devices that sync lose and double nothing in ${count} ${mode} seeds on ${engine}`, { skip }, async (t) => {
      const first = new Random(seedOfRun(t)).below(2 ** 30);
      const seeds = Array.from({ length: count }, (_, at) => first + at);
      const failed = await runSeeds(engine, seeds, { mode });
      assert.deepEqual(
        failed.flat().map((fault) => fault.slice(0, 500)),
        [],
      );
    });
  }
}
