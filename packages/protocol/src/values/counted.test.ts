import assert from 'node:assert/strict';
import { test } from 'node:test';
import { counted } from './counted.ts';

test('counted uses the singular for one alone', () => {
  assert.deepEqual(
    [0, 1, 2].map((count) => counted(count, 'note')),
    ['0 notes', '1 note', '2 notes'],
  );
  assert.equal(counted(2, 'entry', 'entries'), '2 entries');
});
