import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { MemorySegment } from '../src/index/memory-segment.ts';
import { blend } from '../src/ranking/blend.ts';
import { diversify, type MmrCandidate } from '../src/ranking/mmr.ts';
import { normalize } from './kit/vectors.ts';

describe('blend', () => {
  const location = { start: 0, end: 0, heading: '' };
  const segment = new MemorySegment();
  const byWords = (id: string, score: number, leastWeight = 0) => {
    return { id, segment, note: 0, score, chunk: 0, matches: 1, leastWeight };
  };
  const byVectors = (id: string, score: number) => ({ id, score, location, matches: 1 });
  const ids = (hits: readonly { id: string }[]) => hits.map(({ id }) => id).join('');

  test('blend adds the weighted cosine above chance to the word score, less if words find much', () => {
    const hits = blend([byWords('a', 0.6), byWords('b', 0.5)], [byVectors('b', 1)], { weight: 0.5, minCosine: 0.2 });
    assert.deepEqual(
      hits.map(({ id, score }) => [id, Number(score.toFixed(6))]),
      [
        ['b', 0.7],
        ['a', 0.6],
      ],
    );
  });
  test('blend ranks a note found only by vectors first if words find little, and last if they find all', () => {
    const near = [byVectors('v', 0.9)];
    const options = { weight: 0.5, minCosine: 0.1 };
    assert.equal(ids(blend([byWords('w', 0.1)], near, options)), 'vw');
    assert.equal(ids(blend([byWords('w', 0.9)], near, options)), 'wv');
    assert.equal(ids(blend([byWords('w', 0.9), byWords('x', 0.1)], near, { ...options, weight: 0 })), 'wxv');
    assert.equal(ids(blend([], near, options)), 'v');
  });
  test('blend moves no note that has all words of the query below one that lacks a word', () => {
    const options = { weight: 1, minCosine: 0 };
    const words = [byWords('a', 0.4), byWords('b', 0.3, 0.5), byWords('c', 0.2), byWords('d', 0.1, 1)];
    const near = [byVectors('v', 1), byVectors('c', 0.9), byVectors('d', 0.8)];
    assert.equal(ids(blend(words, near, options)), 'abcdv');
    assert.equal(ids(blend(words.slice(0, 1), near, options)), 'vcda');
  });
  test('blend with a weight of 0 adds notes below those that words find, whatever these score', () => {
    const near = [byVectors('v', 1), byVectors('a', 0.9), byVectors('u', 0.8)];
    const hits = blend([byWords('b', 0.02), byWords('a', 0.01)], near, { weight: 0, minCosine: 0.1 });
    assert.equal(ids(hits), 'bavu');
    assert.ok(hits.every(({ score }) => score > 0));
    assert.equal(ids(blend([], near, { weight: 0, minCosine: 0.1 })), 'vau');
  });
  test('blend gives each note once, with descending scores between 0 and 1, for any hits', () => {
    const scores = fc.dictionary(fc.constantFrom(...'abcdefgh'), fc.double({ min: 0, max: 1, noNaN: true }));
    const weights = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(scores, scores, weights, fc.subarray([...'abcdefgh']), (words, vectors, weight, complete) => {
        const ranked = Object.entries(words).map(([id, score]) => byWords(id, score, complete.includes(id) ? 1 : 0));
        ranked.sort((a, b) => b.score - a.score);
        const hits = blend(
          ranked,
          Object.entries(vectors).map(([id, score]) => byVectors(id, score)),
          { weight, minCosine: 0.1 },
        );
        const above = (list: readonly { id: string }[], id: string) => list.findIndex((hit) => hit.id === id);
        for (const { id, leastWeight } of ranked) {
          if (leastWeight > 0) assert.ok(above(hits, id) <= above(ranked, id), 'a complete note was moved down');
        }
        assert.deepEqual(hits.map(({ id }) => id).sort(), [...new Set(Object.keys({ ...words, ...vectors }))].sort());
        assert.ok(hits.every(({ score }) => score >= 0 && score <= 1 + 1e-9));
        assert.ok(hits.every(({ score }, at) => at === 0 || score <= (hits[at - 1]?.score ?? 0)));
      }),
    );
  });
});

describe('maximal marginal relevance', () => {
  const at = (score: number, ...vector: number[]): MmrCandidate => ({
    score,
    vector: normalize(Float32Array.from(vector)),
    words: new Set(),
  });
  const about = (score: number, ...words: string[]): MmrCandidate => ({ score, vector: null, words: new Set(words) });
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
  test('diversify takes each candidate once, and one with neither vector nor words as similar to nothing', () => {
    const candidates = [at(1, 1, 0), at(0.9, 1, 0), about(0.1)];
    assert.deepEqual(
      diversify(candidates, 9, 0.6).map(({ score }) => score),
      [1, 0.1, 0.9],
    );
    assert.deepEqual(diversify([], 5, 0.5), []);
  });
  test('diversify compares words where there are no vectors', () => {
    const candidates = [
      about(1, 'lantern', 'copper'),
      about(0.9, 'lantern', 'copper'),
      about(0.5, 'harbour', 'lantern'),
    ];
    assert.deepEqual(
      diversify(candidates, 3, 0.7).map(({ score }) => score),
      [1, 0.5, 0.9],
    );
  });
});
