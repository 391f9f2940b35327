import assert from 'node:assert/strict';
import { test } from 'node:test';
import { whyNoPostgres } from '../kit/database/postgres.ts';
import { Random, seedOfRun } from '../kit/random.ts';
import { runMemberSeeds } from './sync-members.ts';

const noPostgres = whyNoPostgres() ?? false;
for (const [engine, count] of [
  ['sqlite', 600],
  ['postgres', 200],
] as const) {
  const skip = engine === 'postgres' && noPostgres;
  test(`folders of members whose roles change lose nothing in ${count} seeds on ${engine}`, { skip }, async (t) => {
    const first = new Random(seedOfRun(t)).below(2 ** 30);
    const faults = await runMemberSeeds(engine, first, count);
    assert.deepEqual(
      faults.map((fault) => fault.slice(0, 500)),
      [],
    );
  });
}
