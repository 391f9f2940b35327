import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type QueryText, withAddress } from './query-text.ts';

test('a query put into the address by typing keeps later keys, and one from elsewhere replaces them', () => {
  const typing: QueryText = { text: 'frosts', known: '', asked: ['fro', 'frost'] };
  const first = withAddress(typing, 'fro');
  assert.deepEqual(first, { text: 'frosts', known: 'fro', asked: ['frost'] });
  assert.equal(withAddress(first, 'fro'), first);
  // Two changes of the address may be seen as one.
  assert.deepEqual(withAddress(typing, 'frost'), { text: 'frosts', known: 'frost', asked: [] });
  assert.deepEqual(withAddress(first, ''), { text: '', known: '', asked: [] });
  assert.deepEqual(withAddress(first, 'beans'), { text: 'beans', known: 'beans', asked: [] });
});
