import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkDocstrings } from './docstrings.ts';

test('checkDocstrings refuses docstrings that begin with a relative clause', () => {
  const word = 'What';
  const text = `/** ${word} a call returns. */\nconst a = 1;\n/**\n * ${word} fails. */\n/** Returns what was read. */`;
  const found = checkDocstrings([{ path: 'cli/src/a.ts', text }]);
  assert.deepEqual(
    found.map(({ line, rule }) => [line, rule]),
    [
      [1, 'docstring'],
      [3, 'docstring'],
    ],
  );
});
