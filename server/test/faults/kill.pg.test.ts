import assert from 'node:assert/strict';
import { test } from 'node:test';
import { whyNoPostgres } from '../kit/postgres.ts';
import { type EngineName, killRun } from './kill.ts';

// The short form. CONTRIBUTING.md has the long one, which kills fifty times.
const noPostgres = whyNoPostgres() ?? false;
if (noPostgres !== false) process.stderr.write(`NOT TESTED ON POSTGRESQL: kills under load: ${noPostgres}\n`);

for (const engine of ['sqlite', 'postgres'] satisfies EngineName[]) {
  const skip = engine === 'postgres' && noPostgres;
  test(`killed under load, a server on ${engine} starts again with every acknowledged write and nothing half there`, {
    skip,
  }, async () => {
    const seed = Math.floor(Math.random() * 1_000_000);
    const report: string[] = [];
    const faults = await killRun({ engine, times: 2, seed, report: (line) => report.push(line) });
    const again = `node server/test/faults/kill.ts --engine ${engine} --times 2 --seed ${seed}`;
    assert.deepEqual(faults, [], `${report.join('; ')}; again: ${again}`);
  });
}
