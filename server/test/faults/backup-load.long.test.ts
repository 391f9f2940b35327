import assert from 'node:assert/strict';
import { test } from 'node:test';
import { whyNoPostgres } from '../kit/database/postgres.ts';
import { seedOfRun } from '../kit/random.ts';
import { backupRun } from './backup-load.ts';

const noPostgres = whyNoPostgres() ?? false;

for (const engine of ['sqlite', 'postgres'] as const) {
  const skip = engine === 'postgres' && noPostgres;
  test(`50 backups on ${engine} under load have everything acknowledged before them`, { skip }, async (t) => {
    const seed = seedOfRun(t);
    const faults = await backupRun({ engine, rounds: 50, seed, report: (line) => t.diagnostic(line) });
    assert.deepEqual(faults, [], `again: node server/test/faults/backup-load.ts --engine ${engine} --seed ${seed}`);
  });
}
