import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkCycles } from './cycles.ts';

function file(path: string, ...imports: string[]) {
  return { path, text: imports.map((specifier) => `import { x } from '${specifier}';`).join('\n') };
}

test('a circle over several files and workspaces is found once', () => {
  const findings = checkCycles([
    file('server/src/a.ts', './b.ts'),
    file('server/src/b.ts', '@notevault/protocol/c.ts'),
    file('packages/protocol/src/c.ts', '@notevault/server/a.ts'),
  ]);
  assert.equal(findings.length, 1);
  assert.match(
    findings[0]?.message ?? '',
    /server\/src\/a\.ts → server\/src\/b\.ts → packages\/protocol\/src\/c\.ts → /,
  );
});

test('a circle of types counts, and a file importing itself', () => {
  const typed = { path: 'server/src/a.ts', text: "import type { X } from './b.ts';" };
  assert.equal(checkCycles([typed, file('server/src/b.ts', './a.ts')]).length, 1);
  assert.equal(checkCycles([file('server/src/a.ts', './a.ts')]).length, 1);
});

test('two ways to one file are no circle', () => {
  const sources = [
    file('server/src/a.ts', './b.ts', './c.ts'),
    file('server/src/b.ts', './d.ts'),
    file('server/src/c.ts', './d.ts'),
    file('server/src/d.ts', 'node:fs'),
  ];
  assert.deepEqual(checkCycles(sources), []);
});
