import assert from 'node:assert/strict';
import { test } from 'node:test';
import { wordsOf } from '@notevault/note-text/words.ts';
import fc from 'fast-check';
import { processorMs } from '../../../../packages/note-text/test/processor.ts';
import { distance, referenceScores } from '../../../test/kit/search-reference.ts';
import { type AnalysedNote, analyse, type SearchedNote } from './analyse.ts';
import { type FrozenParts, FrozenSegment } from './frozen-segment.ts';
import { WordShapes } from './near.ts';
import { parseQuery } from './query.ts';
import { rank } from './rank.ts';
import { decodeSegment, encodeSegment } from './segment-bytes.ts';
import { VaultIndex } from './vault-index.ts';

const anything = {
  ...{ tags: null, folder: null, type: null },
  ...{ created: { from: null, to: null }, timestamp: { from: null, to: null } },
};
const idOf = (number: number) => `01900000-0000-7000-8000-${String(number).padStart(12, '0')}`;

function noteOf(number: number, content: string, more: Partial<SearchedNote> = {}): SearchedNote {
  const plain = { path: `n${number}.md`, title: `n${number}`, aliases: [], tags: [], type: null };
  return { id: idOf(number), seq: number, version: 1, ...plain, created: null, timestamp: null, content, ...more };
}

function indexOf(notes: readonly SearchedNote[]): VaultIndex {
  const index = new VaultIndex();
  for (const note of notes) index.put(analyse(note));
  return index;
}

function find(index: VaultIndex, query: string, narrow = anything, limit = 50) {
  return rank(index, parseQuery(query), narrow, limit).hits;
}
const numbers = (index: VaultIndex, query: string, narrow = anything) =>
  find(index, query, narrow).map(({ id }) => Number(id.slice(-12)));
const sorted = (index: VaultIndex, query: string, narrow = anything) =>
  numbers(index, query, narrow).sort((a, b) => a - b);

const vocabulary = [
  'anchor',
  'anchors',
  'anchorage',
  'harbour',
  'harbor',
  'lantern',
  'lanterns',
  'tide',
  'the',
  'of',
  'tie',
  'заметка',
  'заметки',
  '検索',
  '12',
  '123',
];
const words = fc.array(fc.constantFrom(...vocabulary), { maxLength: 12 });
const texts = fc
  .array(words, { maxLength: 4 })
  .map((lines) => lines.map((line, at) => `${at % 2 === 1 ? '# ' : ''}${line.join(' ')}`).join('\n'));
const typed = fc.constantFrom(...vocabulary, 'anchr', 'lnatern', 'harbours', 'заметкам', 'lantrens', 'tides');

test('ranks as the formulas say, whatever notes and words', () => {
  const notes = fc.array(
    fc.record({ content: texts, title: words, tag: fc.option(fc.constantFrom('tide', 'lantern/small')) }),
    { minLength: 1, maxLength: 8 },
  );
  fc.assert(
    fc.property(notes, fc.uniqueArray(typed, { minLength: 1, maxLength: 4 }), (made, asked) => {
      const searched = made.map(({ content, title, tag }, at) =>
        noteOf(at, content, { title: title.join(' '), tags: tag === null ? [] : [tag] }),
      );
      // A word that is finished: completions are another matter.
      const hits = find(indexOf(searched), `${asked.join(' ')} `);
      const expected = referenceScores(searched.map(analyse), [...new Set(asked.flatMap(wordsOf))]);
      assert.deepEqual(hits.map(({ id }) => id).sort(), [...expected.keys()].sort());
      for (const { id, score } of hits) {
        assert.ok(Math.abs(score - (expected.get(id) ?? 0)) < 1e-9, `${score} is not ${expected.get(id)}`);
        assert.ok(score > 0 && score <= 1);
      }
    }),
    { numRuns: 300 },
  );
});

/** What happens to a vault's index in its life. */
type Step = { put: number; content: string } | { remove: number } | 'freeze' | 'reload';
const steps = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.record({ put: fc.nat(9), content: texts }) },
    { weight: 2, arbitrary: fc.record({ remove: fc.nat(9) }) },
    { weight: 2, arbitrary: fc.constantFrom<Step[]>('freeze', 'reload') },
  ),
  { maxLength: 40 },
);

test('answers depend on the notes alone: not on their history, on segments, or on having been read back', () => {
  fc.assert(
    fc.property(steps, fc.array(typed, { minLength: 1, maxLength: 3 }), (life, asked) => {
      let index = new VaultIndex();
      const alive = new Map<number, SearchedNote>();
      for (const step of life as Step[]) {
        if (typeof step === 'object' && 'put' in step) {
          const note = noteOf(step.put, step.content);
          alive.set(step.put, note);
          index.put(analyse(note));
        } else if (typeof step === 'object') {
          alive.delete(step.remove);
          index.remove(idOf(step.remove));
        } else {
          index.seal();
          for (const _ of index.tidy());
          if (step === 'reload')
            index = VaultIndex.of(
              index.frozen.map(({ parts }) => readBack(parts)),
              0,
            );
        }
      }
      const fresh = indexOf([...alive.values()].reverse());
      for (const query of [asked.join(' '), `${asked.join(' ')} `, `"${asked.join(' ')}"`, `-${asked[0]} tide`]) {
        assert.deepEqual(find(index, query), find(fresh, query), query);
      }
    }),
    { numRuns: 300 },
  );
});

test('writes and deletions that come while segments are frozen and merged are not lost', () => {
  const index = indexOf(Array.from({ length: 600 }, (_, at) => noteOf(at, `anchor w${at}x`)));
  index.seal();
  const tidying = index.tidy();
  tidying.next();
  index.remove(idOf(1));
  index.put(analyse(noteOf(2, 'lantern')));
  while (tidying.next().done !== true);
  assert.deepEqual(numbers(index, 'w1x '), []);
  assert.deepEqual(numbers(index, 'w2x '), []);
  assert.deepEqual(numbers(index, 'lantern'), [2]);
  assert.equal(numbers(index, 'anchor').length, 50);
  assert.equal(index.notes, 599);
});

test('near words are those the definition of edits gives', () => {
  const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 1, maxLength: 7 });
  fc.assert(
    fc.property(fc.uniqueArray(word, { maxLength: 30 }), word, fc.constantFrom(1, 2), (list, asked, most) => {
      const terms = list.map((each) => `${each}\0en`).sort();
      const shapes = new WordShapes();
      for (const term of terms) shapes.add(term);
      const found = shapes.near(asked, most, (index) => terms[index] ?? '');
      const expected = terms
        .map((term) => ({ term, edits: distance(term.slice(0, -3), asked) }))
        .filter(({ edits }) => edits <= most);
      assert.deepEqual(found, expected);
    }),
    { numRuns: 1000 },
  );
});

test('a phrase is found as it is spelt, across heading and body, never across fields', () => {
  const index = indexOf([
    noteOf(1, 'the tide turns late'),
    noteOf(2, 'the tides turn late'),
    noteOf(3, 'turns the tide'),
    noteOf(4, 'late', { title: 'the tide turns' }),
    noteOf(5, 'turns', { title: 'the tide' }),
  ]);
  assert.deepEqual(sorted(index, '"tide turns"'), [1, 4]);
  assert.deepEqual(sorted(index, '"turns late"'), [1]);
  assert.deepEqual(sorted(index, '"TIDE  turns" late'), [1, 4]);
  assert.deepEqual(sorted(index, 'tide -"the tide turns"'), [2, 3, 5]);
});

test('words without an exact hit climb the ladder, ranked lower', () => {
  const index = indexOf([
    noteOf(1, 'lighthouse'),
    noteOf(2, 'lighthousekeeper'),
    noteOf(3, 'cat'),
    noteOf(4, 'бабушка'),
  ]);
  assert.deepEqual(numbers(index, 'lighthousek '), [2, 1]);
  assert.deepEqual(numbers(index, 'ligthouse'), [1]);
  assert.deepEqual(numbers(index, 'lihgthuose'), [1]);
  assert.deepEqual(numbers(index, 'kat'), []);
  assert.deepEqual(numbers(index, 'бабушкка'), [4]);
  const mixed = indexOf([noteOf(1, 'lighthouse'), noteOf(2, 'lighthousexx')]);
  assert.deepEqual(numbers(mixed, 'lighthousex'), [2, 1]);
  assert.deepEqual(numbers(index, '1234'), []);
  const exact = find(index, 'cat')[0]?.score ?? 0;
  assert.ok((find(index, 'ligthouse')[0]?.score ?? 1) < exact);
});

test('the last word may be unfinished in titles, headings, tags and folders', () => {
  const index = indexOf([
    noteOf(1, 'data', { title: 'Data' }),
    noteOf(2, 'x', { title: 'Databases' }),
    noteOf(3, '# Database design\ny'),
    noteOf(4, 'database'),
    noteOf(5, 'x', { path: 'Databank/n5.md' }),
    noteOf(6, 'x', { tags: ['dataset'] }),
  ]);
  assert.deepEqual(sorted(index, 'data'), [1, 2, 3, 5, 6]);
  assert.equal(numbers(index, 'data')[0], 1);
  assert.deepEqual(sorted(index, 'data '), [1]);
  assert.deepEqual(sorted(index, 'data x'), [1, 2, 5, 6]);
});

test('filters: tags with those below, folders with theirs, type, dates, path and title', () => {
  const index = indexOf([
    noteOf(1, 'tide', { path: 'Sea/North/a.md', tags: ['Water/Salt'], type: 'Log', created: 10, timestamp: 50 }),
    noteOf(2, 'tide', { path: 'Sea/b.md', tags: ['water'], type: 'log', created: 20 }),
    noteOf(3, 'tide', { path: 'Seaside/c.md', tags: ['waters'], timestamp: 60 }),
  ]);
  const narrowed = (narrow: Partial<typeof anything>) =>
    sorted(index, 'tide', { ...anything, ...narrow } as typeof anything);
  const some = (value: object) => value as never;
  assert.deepEqual(narrowed({ tags: some(['WATER']) }), [1, 2]);
  assert.deepEqual(narrowed({ tags: some(['#water/salt', 'waters']) }), [1, 3]);
  assert.deepEqual(narrowed({ tags: some([]) }), []);
  assert.deepEqual(narrowed({ folder: 'sea' as never }), [1, 2]);
  assert.deepEqual(narrowed({ type: 'LOG' as never }), [1, 2]);
  assert.deepEqual(narrowed({ created: some({ from: 10, to: 10 }) }), [1]);
  assert.deepEqual(narrowed({ timestamp: some({ from: 51, to: null }) }), [3]);
  assert.deepEqual(sorted(index, 'tag:water tide'), [1, 2]);
  assert.deepEqual(sorted(index, 'tag:#water/salt'), [1]);
  assert.deepEqual(sorted(index, '-tag:water tide'), [3]);
  assert.deepEqual(sorted(index, 'folder:sea'), [1, 2]);
  assert.deepEqual(sorted(index, 'folder:north tide'), [1]);
  assert.deepEqual(sorted(index, 'path:"sea/"'), [1, 2]);
  assert.deepEqual(sorted(index, 'title:n2'), [2]);
  assert.deepEqual(sorted(index, 'tide -tide'), []);
});

test('filters alone give all they allow, newest first; nothing but exclusion too', () => {
  const index = indexOf([noteOf(1, 'tide', { tags: ['a'] }), noteOf(2, 'anchor', { tags: ['a'] }), noteOf(3, 'rope')]);
  assert.deepEqual(numbers(index, 'tag:a'), [2, 1]);
  assert.deepEqual(numbers(index, '-tide'), [3, 2]);
  assert.deepEqual(numbers(index, '…'), []);
});

test('the best chunk and the number of chunks that match', () => {
  const filler = 'rope and sail and mast and keel. '.repeat(60);
  const index = indexOf([noteOf(1, `# One\n${filler}\n# Two\n${filler} anchor tide\n# Three\n${filler} tide\n`)]);
  const [hit] = find(index, 'anchor tide');
  assert.match(headingOf(index, hit), /Two/);
  assert.equal(hit?.matches, 2);
  assert.equal(find(index, 'n1')[0]?.matches, 1);
});

test('title beats heading beats tag beats body', () => {
  const rest = 'rope sail mast keel';
  const index = indexOf([
    noteOf(1, `anchor ${rest}`),
    noteOf(2, `x ${rest}`, { tags: ['anchor'] }),
    noteOf(3, `# anchor\n${rest}`),
    noteOf(4, `x ${rest}`, { title: 'anchor' }),
  ]);
  assert.deepEqual(numbers(index, 'anchor '), [4, 3, 2, 1]);
});

test('hostile notes and queries cost no more than their length', () => {
  const hostile = [
    'a'.repeat(300_000),
    'ア'.repeat(300_000),
    '\u0301'.repeat(300_000),
    '"'.repeat(300_000),
    '-'.repeat(300_000),
    '\ud800'.repeat(300_000),
    'a\u200d'.repeat(150_000),
  ];
  const took = processorMs(() => {
    const index = indexOf(hostile.map((content, at) => noteOf(at, content)));
    for (const query of hostile) find(index, query);
  });
  assert.ok(took < 10_000);
  assert.ok(analysed(hostile[0] ?? '').terms.size < 10);
});

/** As from rest, in a buffer that begins anywhere. */
function readBack(parts: FrozenParts): FrozenSegment {
  return new FrozenSegment(decodeSegment(Buffer.concat([Buffer.from('x'), encodeSegment(parts)]).subarray(1)));
}

function headingOf(index: VaultIndex, hit: ReturnType<typeof find>[number] | undefined): string {
  const at = index.find(hit?.id ?? '');
  return at?.segment.info(at.note).chunks[hit?.chunk ?? 0]?.heading ?? '';
}

const analysed = (content: string): AnalysedNote => analyse(noteOf(1, content));
