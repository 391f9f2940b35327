import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { wordsOf } from '@notevault/note-text/words.ts';
import { knownItemsOf } from './known-items.ts';

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
