import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bestMark } from './result-place.ts';

test('a result opens at the first of the words that stand together', () => {
  const snippet = `beans ${'and '.repeat(30)}peas with beans`;
  const peas = snippet.indexOf('peas');
  const highlights = [
    [0, 5],
    [peas, peas + 4],
    [peas + 10, peas + 15],
  ];
  assert.deepEqual(bestMark({ snippet, highlights }), { excerpt: snippet, start: peas, end: peas + 4 });
  assert.equal(bestMark({ snippet, highlights: [] }), null);
});
