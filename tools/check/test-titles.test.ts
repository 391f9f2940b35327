import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkTestTitles } from './test-titles.ts';

test('checkTestTitles refuses a title over 100 characters, without its marks', () => {
  const [short, long] = ['x'.repeat(100), 'x'.repeat(101)];
  const text = `test('[2.8] [M3] ${short}', f);\n  it.skip(\n    '${long}',\n    f);\ndescribe(\`${long}\`, f);\ncall('${long}');`;
  assert.deepEqual(
    checkTestTitles([{ path: 'cli/src/a.test.ts', text }]).map(({ line }) => line),
    [2, 5],
  );
});
