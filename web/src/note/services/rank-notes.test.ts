import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rankNotes } from './rank-notes.ts';

const entries = ['Garden.md', 'Rose garden.md', 'Gardening/Beans.md', 'Vanguard.md', 'Soil.md', 'G.md'].map((path) => ({
  path,
  name: path.slice(path.lastIndexOf('/') + 1, -3),
}));

test('notes are ranked by how well their names fit what was typed', () => {
  const names = (typed: string) => rankNotes(entries, typed, 10).map(({ name }) => name);
  assert.deepEqual(names('garden'), ['Garden', 'Rose garden', 'Beans']);
  assert.deepEqual(names('g'), ['G', 'Garden', 'Rose garden', 'Vanguard', 'Beans']);
  assert.deepEqual(names('gdn'), ['Garden', 'Rose garden']);
  assert.deepEqual(names('zzz'), []);
  assert.equal(rankNotes(entries, '', 3).length, 3);
});
