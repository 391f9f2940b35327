import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listSizes } from './statement.ts';

test('listSizes cuts a long list into few pieces of few sizes, and leaves a short one whole', () => {
  const sizes = new Set<number>();
  for (let count = 0; count <= 1000; count++) {
    const pieces = listSizes(count);
    assert.equal(
      pieces.reduce((sum, size) => sum + size, 0),
      count,
    );
    assert.ok(pieces.length <= (count <= 32 ? 1 : Math.floor(count / 128) + 3), `${count}: ${pieces}`);
    for (const size of pieces) sizes.add(size);
  }
  assert.deepEqual(listSizes(0), []);
  assert.deepEqual(listSizes(327), [128, 128, 64, 7]);
  assert.equal(sizes.size, 34);
});
