import assert from 'node:assert/strict';
import { test } from 'node:test';
import { starsIn } from './stars-in.ts';

test('the stars of a vault are those of its own name, and what is no list of ids is none', () => {
  assert.deepEqual(starsIn({ 'stars:v': ['a', 1, 'b'], 'stars:w': ['c'] }, 'v'), ['a', 'b']);
  assert.deepEqual(starsIn({ 'stars:v': 'a' }, 'v'), []);
  assert.deepEqual(starsIn(undefined, 'v'), []);
});
