import assert from 'node:assert/strict';
import { test } from 'node:test';
import { whyNoPostgres } from '../kit/database/postgres.ts';
import type { EngineName } from '../kit/programs/run.ts';
import { seedOfRun } from '../kit/random.ts';
import { backupRun } from './backup-load.ts';

// The short form: one round on each engine, as each takes half a minute; backup-load.long.test.ts has more.
const noPostgres = whyNoPostgres() ?? false;

for (const engine of ['sqlite', 'postgres'] satisfies EngineName[]) {
  const skip = engine === 'postgres' && noPostgres;
  test(`a backup on ${engine} under load has everything acknowledged before it`, { skip }, async (t) => {
    const seed = seedOfRun(t);
    const report: string[] = [];
    const faults = await backupRun({ engine, rounds: 1, seed, report: (line) => report.push(line) });
    const again = `node server/test/faults/backup-load.ts --engine ${engine} --rounds 1 --seed ${seed}`;
    assert.deepEqual(faults, [], `${report.join('; ')}; again: ${again}`);
  });
}
