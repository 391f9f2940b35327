import assert from 'node:assert/strict';
import { test } from 'node:test';
import { whyNoPostgres } from '../kit/database/postgres.ts';
import type { EngineName } from '../kit/programs/run.ts';
import { seedOfRun } from '../kit/random.ts';
import { killTyping } from './kill-typing.ts';

// The short form; kill.long.test.ts runs more kills.
const noPostgres = whyNoPostgres() ?? false;

for (const engine of ['sqlite', 'postgres'] satisfies EngineName[]) {
  const skip = engine === 'postgres' && noPostgres;
  test(`[7.3] a server on ${engine} killed while twenty people type has every acknowledged word once`, {
    skip,
  }, async (t) => {
    const seed = seedOfRun(t);
    const report: string[] = [];
    const faults = await killTyping({ engine, times: 2, seed, report: (line) => report.push(line) });
    const again = `node server/test/faults/kill-typing.ts --engine ${engine} --times 2 --seed ${seed}`;
    assert.deepEqual(faults, [], `${report.join('; ')}; again: ${again}`);
  });
}
