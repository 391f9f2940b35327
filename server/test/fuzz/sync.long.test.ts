import assert from 'node:assert/strict';
import { test } from 'node:test';
import { whyNoPostgres } from '../kit/postgres.ts';
import { Random, seedOfRun } from '../kit/random.ts';
import type { Mode } from './sync.requests.ts';
import { runSeeds } from './sync.ts';

/** Of each mode on each engine. Each run has seeds of its own; every fault names the seed that found it. */
const SEEDS: Readonly<Record<'sqlite' | 'postgres', Readonly<Record<Mode, number>>>> = {
  sqlite: { ordinary: 4000, deletes: 1500 },
  postgres: { ordinary: 800, deletes: 300 },
};

const noPostgres = whyNoPostgres() ?? false;
if (noPostgres !== false) process.stderr.write(`NOT TESTED ON POSTGRESQL: the simulator of syncing: ${noPostgres}\n`);

for (const engine of ['sqlite', 'postgres'] as const) {
  for (const mode of ['ordinary', 'deletes'] as const) {
    const count = SEEDS[engine][mode];
    const skip = engine === 'postgres' && noPostgres;
    test(`nothing is lost or doubled in ${count} ${mode} seeds of syncing on ${engine}`, { skip }, async (t) => {
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
