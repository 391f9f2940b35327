import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keysOf } from './entry-keys.ts';

test('a request of an entry has the same key each time, and another one if it says something else', () => {
  const keyOf = keysOf('entry');
  const folder = (name: string) => keyOf({ method: 'POST', path: '/folders', json: { folder: name } });
  assert.equal(folder('Garden'), keysOf('entry')({ method: 'POST', path: '/folders', json: { folder: 'Garden' } }));
  const others = [folder('Gardens'), keysOf('other')({ method: 'POST', path: '/folders', json: { folder: 'Garden' } })];
  assert.equal(new Set([folder('Garden'), ...others, keyOf({ method: 'POST', path: '/attachments' })]).size, 4);
});

test('a key has no characters that the server does not take', () => {
  const key = keysOf('entry')({ method: 'POST', path: `/trash/${'庭 '.repeat(200)}`, json: { path: '庭' } });
  assert.match(key, /^[\x21-\x7e]{1,255}$/);
});
