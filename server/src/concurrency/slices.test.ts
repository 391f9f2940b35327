import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { slicesBySize } from './slices.ts';

describe('slicesBySize', () => {
  const slices = (items: readonly number[], limits: { count?: number; bytes: number }) => [
    ...slicesBySize(items, limits, (item) => item),
  ];

  it('slicesBySize keeps every item, in order', () => {
    assert.deepEqual(slices([1, 2, 3, 4, 5, 6], { bytes: 6 }), [[1, 2, 3], [4], [5], [6]]);
    assert.deepEqual(slices([], { bytes: 6 }), []);
  });

  it('slicesBySize ends a slice at the number of items', () => {
    assert.deepEqual(slices([1, 1, 1, 1, 1], { count: 2, bytes: 6 }), [[1, 1], [1, 1], [1]]);
  });

  it('slicesBySize gives an item that is too large a slice of its own', () => {
    assert.deepEqual(slices([1, 9, 1, 1], { count: 2, bytes: 6 }), [[1], [9], [1, 1]]);
  });
});
