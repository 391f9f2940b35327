import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HeightCache } from './heights.ts';

test('the height cache drops what was least recently used', () => {
  const cache = new HeightCache(2);
  cache.set('a', 10);
  cache.set('b', 20);
  assert.equal(cache.get('a'), 10);
  cache.set('c', 30);
  assert.deepEqual([cache.get('a'), cache.get('b'), cache.get('c')], [10, -1, 30]);
});

test('the height cache does not remember an element without height', () => {
  const cache = new HeightCache();
  cache.set('a', 10);
  cache.set('a', 0);
  assert.equal(cache.get('a'), 10);
});
