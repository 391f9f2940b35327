import assert from 'node:assert/strict';
import { test } from 'node:test';
import { matchedPieces } from './matched-pieces.ts';

const marked = (text: string, query: string) =>
  matchedPieces(text, query)
    .map(({ piece, isMatched }) => (isMatched ? `[${piece}]` : piece))
    .join('');

test('each word of a query is marked where it is first, whatever its case', () => {
  assert.equal(marked('Spring planting', 'spr'), '[Spr]ing planting');
  assert.equal(marked('Spring planting', 'PLAN spr'), '[Spr]ing [plan]ting');
  assert.equal(marked('Compost', 'comp mpo'), '[Compo]st');
});

test('a text is whole without a match, without a query, and where its lower case has another length', () => {
  assert.equal(marked('Spring', 'x'), 'Spring');
  assert.equal(marked('Spring', ' '), 'Spring');
  assert.equal(marked('İstanbul', 'stan'), 'İstanbul');
  assert.equal(marked('', 'x'), '');
});
