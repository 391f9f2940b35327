import assert from 'node:assert/strict';
import { test } from 'node:test';
import { markedPieces } from './marked.ts';

function shown(text: string, found: number[][]): string {
  return markedPieces(text, found)
    .map(({ text: piece, isFound }) => (isFound ? `[${piece}]` : piece))
    .join('');
}

test('markedPieces marks what was found, in any order', () => {
  assert.equal(
    shown('beans and peas', [
      [10, 14],
      [0, 5],
    ]),
    '[beans] and [peas]',
  );
  assert.equal(shown('beans', []), 'beans');
});

test('markedPieces loses no text over places that overlap or lie outside', () => {
  assert.equal(shown('beans', [[0, 3], [2, 4], [4, 99], [3, 3], []]), '[bea]ns');
});
