import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newNote } from './new-note.ts';

test('the request of a new note never replaces the text of another one', () => {
  assert.deepEqual(newNote('a.md', '', 1), { path: 'a.md', mtime: 1 });
  assert.deepEqual(newNote('a.md', 'text', 1), { path: 'a.md', mtime: 1, content: 'text', version: 0 });
});
