import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const ROOT = join(import.meta.dirname, '..');
const SEEDS = 20;

const files = globSync('{packages,server,cli,web}/**/*.test.ts', { cwd: ROOT, exclude: ['**/node_modules/**'] })
  .filter((file) => !/\.(long|vaults)\.test\.ts$|[/-]browser\.test\.ts$|^server\/test\/(faults|fuzz)\//.test(file))
  .filter((file) => readFileSync(join(ROOT, file), 'utf8').includes("from 'fast-check'"));

for (let at = 0; at < SEEDS; at++) {
  const seed = String(Math.floor(Math.random() * 1_000_000));
  test(`every property holds for what seed ${seed} draws`, () => {
    const env = { ...process.env, TEST_SEED: seed, NODE_TEST_CONTEXT: undefined };
    const run = spawnSync(process.execPath, [join(import.meta.dirname, 'test.ts'), ...files], {
      cwd: ROOT,
      env,
      encoding: 'utf8',
    });
    assert.equal(run.status, 0, run.stdout);
  });
}
