import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FeatureAmounts } from './feature-amounts.ts';
import { KANA, PIECE, WORD } from './features.ts';

test('FeatureAmounts keeps more features than it has room for at first, in their order', () => {
  const features = new FeatureAmounts();
  const hashOf = (index: number) => Math.imul(index + 1, 0x9e3779b1) >>> 0;
  for (let round = 0; round < 2; round++) {
    features.clear();
    for (let index = 0; index < 10_000; index++) features.setAmount(features.positionOf(hashOf(index), WORD, 0), index);
    assert.equal(features.count, 10_000);
    for (let index = 0; index < 10_000; index++) {
      assert.equal(features.positionOf(hashOf(index), WORD, 1), index);
      assert.deepEqual([features.hashAt(index), features.amountAt(index)], [hashOf(index), index]);
    }
  }
});

test('FeatureAmounts gives a feature the kind of its latest occurrence, and forgets all when it is cleared', () => {
  const features = new FeatureAmounts();
  const position = features.positionOf(7, WORD, 2);
  features.setAmount(position, 3);
  features.positionOf(7, PIECE, 1);
  assert.equal(features.kindAt(position), WORD);
  features.positionOf(7, PIECE, 2);
  assert.equal(features.kindAt(position), PIECE);
  features.clear();
  assert.equal(features.count, 0);
  assert.deepEqual([features.positionOf(7, KANA, 0), features.amountAt(0), features.kindAt(0)], [0, 0, KANA]);
});
