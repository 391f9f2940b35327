import assert from 'node:assert/strict';
import { test } from 'node:test';
import { wordsOf } from '@notevault/note-text/words.ts';
import fc from 'fast-check';
import { processorMs } from '../../note-text/test/processor.ts';
import { analyze } from '../src/analysis/analyzer.ts';
import type { VaultIndex } from '../src/index/vault-index.ts';
import { find, indexOf, noteOf, numbers, texts, typed, words } from './kit/notes.ts';
import { referenceScores } from './kit/reference-scores.ts';

test('rank gives the scores of the BM25F formulas for any notes and words', () => {
  const notes = fc.array(
    fc.record({ content: texts, title: words, tag: fc.option(fc.constantFrom('tide', 'lantern/small')) }),
    { minLength: 1, maxLength: 8 },
  );
  fc.assert(
    fc.property(notes, fc.uniqueArray(typed, { minLength: 1, maxLength: 4 }), (made, asked) => {
      const searched = made.map(({ content, title, tag }, at) =>
        noteOf(at, content, { title: title.join(' '), tags: tag === null ? [] : [tag] }),
      );
      // A finished word; completions of an unfinished word are tested elsewhere.
      const hits = find(indexOf(searched), `${asked.join(' ')} `);
      const expected = referenceScores(searched.map(analyze), [...new Set(asked.flatMap(wordsOf))]);
      assert.deepEqual(hits.map(({ id }) => id).sort(), [...expected.keys()].sort());
      for (const { id, score } of hits) {
        assert.ok(Math.abs(score - (expected.get(id) ?? 0)) < 1e-9, `${score} is not ${expected.get(id)}`);
        assert.ok(score > 0 && score <= 1);
      }
    }),
    { numRuns: 100 },
  );
});

test('rank puts a match in the title before one in a heading, a tag and the body', () => {
  const rest = 'rope sail mast keel';
  const index = indexOf([
    noteOf(1, `anchor ${rest}`),
    noteOf(2, `x ${rest}`, { tags: ['anchor'] }),
    noteOf(3, `# anchor\n${rest}`),
    noteOf(4, `x ${rest}`, { title: 'anchor' }),
  ]);
  assert.deepEqual(numbers(index, 'anchor '), [4, 3, 2, 1]);
});

test('rank names the best chunk of a note and counts the chunks that match', () => {
  const filler = 'rope and sail and mast and keel. '.repeat(60);
  const index = indexOf([noteOf(1, `# One\n${filler}\n# Two\n${filler} anchor tide\n# Three\n${filler} tide\n`)]);
  const [hit] = find(index, 'anchor tide');
  assert.match(headingOf(index, hit), /Two/);
  assert.equal(hit?.matches, 2);
  assert.equal(find(index, 'n1')[0]?.matches, 1);
});

test('analyzing and ranking hostile texts takes time linear in their length', () => {
  const hostile = [
    'a'.repeat(150_000),
    'ア'.repeat(150_000),
    '\u0301'.repeat(150_000),
    '"'.repeat(150_000),
    '-'.repeat(150_000),
    '\ud800'.repeat(150_000),
    'a\u200d'.repeat(75_000),
  ];
  const took = processorMs(() => {
    const index = indexOf(hostile.map((content, at) => noteOf(at, content)));
    for (const query of hostile) find(index, query);
  });
  assert.ok(took < 5000);
  assert.ok(analyze(noteOf(1, hostile[0] ?? '')).terms.size < 10);
});

function headingOf(index: VaultIndex, hit: ReturnType<typeof find>[number] | undefined): string {
  const at = index.find(hit?.id ?? '');
  return at?.segment.info(at.note).chunks[hit?.chunk ?? 0]?.heading ?? '';
}
