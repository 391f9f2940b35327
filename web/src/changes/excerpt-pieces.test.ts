import assert from 'node:assert/strict';
import { test } from 'node:test';
import { excerptPieces } from './excerpt-pieces.ts';

test('excerptPieces cuts a long line on both sides of the place, and keeps a short one', () => {
  const short = excerptPieces({ text: '  - one two three', start: 8, end: 11 });
  assert.deepEqual(short, { before: '- one ', gone: 'two', after: ' three' });
  const long = excerptPieces({ text: `${'a'.repeat(100)}X${'b'.repeat(100)}`, start: 100, end: 101 });
  assert.deepEqual(long, { before: `…${'a'.repeat(60)}`, gone: 'X', after: `${'b'.repeat(60)}…` });
});
