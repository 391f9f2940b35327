import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { diversify } from '../src/ranking/mmr.ts';
import { fuse } from '../src/ranking/rrf.ts';
import { normalize } from './kit/vectors.ts';

describe('reciprocal rank fusion', () => {
  test('fuse puts a key first that is high in both rankings, and scores it by its ranks', () => {
    const fused = fuse([
      { keys: ['a', 'b', 'c'], weight: 1 },
      { keys: ['b', 'd', 'a'], weight: 1 },
    ]);
    assert.deepEqual(
      fused.map(({ key }) => key),
      ['b', 'a', 'd', 'c'],
    );
    assert.ok(Math.abs((fused[0]?.score ?? 0) - (1 / 62 + 1 / 61) / (2 / 61)) < 1e-12);
  });
  test('fuse of one ranking keeps its order and scores it from 1 down', () => {
    const fused = fuse([{ keys: ['x', 'y'], weight: 0.3 }]);
    assert.deepEqual(
      fused.map(({ key }) => key),
      ['x', 'y'],
    );
    assert.equal(fused[0]?.score, 1);
  });
  test('fuse gives descending scores between 0 and 1 for any rankings', () => {
    const ranking = fc.record({
      keys: fc.uniqueArray(fc.nat(40)),
      weight: fc.double({ min: 0.1, max: 3, noNaN: true }),
    });
    fc.assert(
      fc.property(fc.array(ranking, { minLength: 1, maxLength: 4 }), (rankings) => {
        const fused = fuse(rankings);
        assert.deepEqual(new Set(fused.map(({ key }) => key)), new Set(rankings.flatMap(({ keys }) => keys)));
        assert.ok(fused.every(({ score }) => score > 0 && score <= 1 + 1e-9));
        assert.ok(fused.every(({ score }, at) => at === 0 || score <= (fused[at - 1]?.score ?? 0)));
      }),
    );
  });
});

describe('maximal marginal relevance', () => {
  const at = (score: number, ...vector: number[]) => ({ score, vector: normalize(Float32Array.from(vector)) });
  const twins = [at(1, 1, 0), at(0.99, 1, 0.01), at(0.5, 0, 1), at(0.4, 0.1, 1)];
  const order = (diversity: number, limit = 4) => diversify(twins, limit, diversity).map((one) => twins.indexOf(one));

  test('diversify with 0 keeps the ranking', () => {
    assert.deepEqual(order(0), [0, 1, 2, 3]);
  });
  test('diversify with 1 takes what is least similar to the chosen items', () => {
    assert.deepEqual(order(1), [0, 2, 3, 1]);
  });
  test('diversify in between puts another subject before a near copy of the best', () => {
    assert.deepEqual(order(0.5, 2), [0, 2]);
    assert.deepEqual(order(0.1, 2), [0, 1]);
  });
  test('diversify takes each candidate once, and one without a vector as similar to nothing', () => {
    const candidates = [at(1, 1, 0), at(0.9, 1, 0), { score: 0.1, vector: null }];
    assert.deepEqual(
      diversify(candidates, 9, 0.6).map(({ score }) => score),
      [1, 0.1, 0.9],
    );
    assert.deepEqual(diversify([], 5, 0.5), []);
  });
});
