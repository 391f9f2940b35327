import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';

test('npm run test:e2e -- --long: the flows in a real browser that take minutes', () => {
  const { status } = spawnSync(process.execPath, [join(import.meta.dirname, 'e2e.ts'), '--long'], {
    cwd: join(import.meta.dirname, '..'),
    stdio: 'inherit',
  });
  assert.equal(status, 0);
});
