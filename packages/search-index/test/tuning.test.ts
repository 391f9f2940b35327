import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { wordsOf } from '@notevault/note-text/words.ts';
import { chooseWeight, type TuningQuery } from '../src/tuning/choose-weight.ts';
import { knownItemsOf } from '../src/tuning/known-items.ts';

const WEIGHTS = [0, 0.3, 0.6, 1];

/** Pairs of queries, one in each half, with these ranks under the weights. */
const pairs = (count: number, ...ranks: number[]): TuningQuery[] =>
  Array.from({ length: count }, () => [
    { half: 'choose' as const, ranks },
    { half: 'check' as const, ranks },
  ]).flat();

describe('chooseWeight', () => {
  test('chooseWeight keeps the default where all weights are as good', () => {
    const { weight, higher, qualities } = chooseWeight(WEIGHTS, 0.3, pairs(50, 0.5, 0.5, 0.5, 0.5));
    assert.deepEqual([weight, higher], [0.3, null]);
    assert.deepEqual(
      qualities.map(({ choose, check }) => [choose, check]),
      WEIGHTS.map(() => [0.5, 0.5]),
    );
  });
  test('chooseWeight takes a higher weight only if it is better beyond chance', () => {
    const few = chooseWeight(WEIGHTS, 0.3, [...pairs(4, 0.5, 0.5, 1, 0.5), ...pairs(100, 1, 1, 1, 1)]);
    assert.deepEqual([few.weight, few.higher?.weight], [0.3, 0.6]);
    // Four equal differences point one way in 2 of 2^4 cases.
    assert.ok(Math.abs((few.higher?.p ?? 0) - 0.125) < 0.02);
    const many = chooseWeight(WEIGHTS, 0.3, [...pairs(10, 0.5, 0.5, 1, 0.5), ...pairs(100, 1, 1, 1, 1)]);
    assert.deepEqual([many.weight, many.higher?.weight], [0.6, 0.6]);
    assert.ok((many.higher?.p ?? 1) < 0.01);
  });
  test('chooseWeight does not take a higher weight that is better only where it was chosen', () => {
    const lucky: TuningQuery[] = Array.from({ length: 50 }, (_, at) => {
      return at % 2 === 0 ? { half: 'choose', ranks: [0, 0, 1, 0] } : { half: 'check', ranks: [1, 1, 0.9, 1] };
    });
    assert.deepEqual([chooseWeight(WEIGHTS, 0.3, lucky).weight, chooseWeight(WEIGHTS, 0.3, lucky).higher], [0.3, null]);
  });
  test('chooseWeight takes a lower weight that is better, without a test of chance', () => {
    assert.equal(chooseWeight(WEIGHTS, 0.6, [...pairs(1, 0.5, 1, 0.5, 0.5), ...pairs(50, 1, 1, 1, 1)]).weight, 0.3);
  });
  test('chooseWeight takes the words alone where every weight is worse', () => {
    assert.equal(chooseWeight(WEIGHTS, 0.3, pairs(3, 1, 0.5, 0.4, 0.3)).weight, 0);
    // The default wins the half to choose by, and loses more in the other one.
    const mixed: TuningQuery[] = [
      { half: 'choose', ranks: [0.9, 1, 1, 1] },
      { half: 'check', ranks: [0.9, 0.5, 0.5, 0.5] },
    ];
    assert.equal(chooseWeight(WEIGHTS, 0.3, mixed).weight, 0);
  });
  test('chooseWeight keeps the default without queries', () => {
    assert.equal(chooseWeight(WEIGHTS, 0.3, []).weight, 0.3);
  });
});

describe('knownItemsOf', () => {
  const content = '## Nightly duties\nThe keeper trims every lantern before sunset arrives.\n';
  const other = 'Winter came quietly over meadows, and barley slept below the frozen ground.\n';

  test('knownItemsOf makes queries of every kind, the same for the same seed', () => {
    const items = knownItemsOf('seed', 'Lighthouse keeper.md', content, other);
    assert.deepEqual(
      items.map(({ kind }) => kind),
      [
        ...['title', 'first letters', 'heading', 'sentence', 'three words', 'one error', 'two errors'],
        ...['wrong word', 'wrong word'],
      ],
    );
    assert.deepEqual(knownItemsOf('seed', 'Lighthouse keeper.md', content, other), items);
    assert.notDeepEqual(knownItemsOf('another', 'Lighthouse keeper.md', content, other), items);
  });
  test('knownItemsOf gives a query two words of the note and a wrong one that only the other note has', () => {
    const own = new Set(wordsOf(content));
    for (const { kind, query } of knownItemsOf('seed', 'Lighthouse keeper.md', content, other)) {
      if (kind !== 'wrong word') continue;
      const words = wordsOf(query);
      assert.deepEqual([words.length, words.filter((word) => own.has(word)).length], [3, 2]);
      assert.ok(words.every((word) => own.has(word) || wordsOf(other).includes(word)));
    }
  });
  test('knownItemsOf makes no queries with a wrong word where the other note has no other words', () => {
    const kinds = knownItemsOf('seed', 'keeper.md', content, content).map(({ kind }) => kind);
    assert.ok(!kinds.includes('wrong word'));
    assert.deepEqual(knownItemsOf('seed', 'empty.md', ''), [{ kind: 'title', query: 'empty', answer: null }]);
  });
});
