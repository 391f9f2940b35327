import assert from 'node:assert/strict';
import { test } from 'node:test';
import { whyNoPostgres } from '../kit/database/postgres.ts';
import type { EngineName } from '../kit/programs/run.ts';
import { seedOfRun } from '../kit/random.ts';
import { killRun } from './kill.ts';

// The short form; kill.long.test.ts runs more kills.
const noPostgres = whyNoPostgres() ?? false;

for (const engine of ['sqlite', 'postgres'] satisfies EngineName[]) {
  const skip = engine === 'postgres' && noPostgres;
  test(`a server on ${engine} killed under load restarts with every acknowledged write and nothing partial`, {
    skip,
  }, async (t) => {
    const seed = seedOfRun(t);
    const report: string[] = [];
    const faults = await killRun({ engine, times: 2, seed, report: (line) => report.push(line) });
    const again = `node server/test/faults/kill.ts --engine ${engine} --times 2 --seed ${seed}`;
    assert.deepEqual(faults, [], `${report.join('; ')}; again: ${again}`);
  });
}

test('a server on sqlite whose power is cut under load keeps what it acknowledged and what it handed out', async (t) => {
  const seed = seedOfRun(t);
  const report: string[] = [];
  const faults = await killRun({
    engine: 'sqlite',
    times: 2,
    seed,
    powerCuts: true,
    report: (line) => report.push(line),
  });
  const again = `node server/test/faults/kill.ts --engine sqlite --times 2 --seed ${seed} --power-cuts`;
  assert.deepEqual(faults, [], `${report.join('; ')}; again: ${again}`);
});
