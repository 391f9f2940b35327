import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readOpenSlash } from './open-slash.ts';

test('a slash is open at the start of a line and behind the marks of lists and quotes', () => {
  assert.deepEqual(readOpenSlash('/'), { query: '', from: 0, place: 'start' });
  assert.deepEqual(readOpenSlash('- /tab'), { query: 'tab', from: 2, place: 'marks' });
  assert.deepEqual(readOpenSlash('  > 1. /überschrift'), { query: 'überschrift', from: 7, place: 'marks' });
});

test('a slash behind a space within a text is open for what stands within a text', () => {
  assert.deepEqual(readOpenSlash('due /to'), { query: 'to', from: 4, place: 'text' });
  assert.deepEqual(readOpenSlash('日記　／見出し'), { query: '見出し', from: 3, place: 'text' });
});

test('a slash within a word, or with a space behind it, is no more than a slash', () => {
  for (const text of ['and/or', 'https://', '1 / ', '/two words', '//']) assert.equal(readOpenSlash(text), null, text);
});
