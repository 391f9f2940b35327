import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seedOfRun } from '../kit/random.ts';
import { faultsOf, soak } from './soak.ts';

test('a server holds no more memory, files, permits and leases after 20 minutes of mixed load', async (t) => {
  // Filling the caches of SQLite, search and lists takes some minutes, so the phases are few and long.
  const run = { minutes: 20, starts: 2, phases: 3, rate: 50, seed: seedOfRun(t) };
  const phases = await soak({ ...run, report: (line) => t.diagnostic(line) });
  assert.deepEqual(
    faultsOf(phases),
    [],
    `node server/test/faults/soak.ts --minutes 20 --starts 2 --phases 3 --seed ${run.seed}`,
  );
});
