import assert from 'node:assert/strict';
import { test } from 'node:test';
import { find, indexOf, noFilter, noteOf, numbers, sorted } from './kit/notes.ts';

test('a phrase matches as it is spelt, across heading and body, never across fields', () => {
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

test('a query word that no note has matches longer and misspelt words, which score lower', () => {
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

test('an unfinished last word of a query matches in titles, headings, tags and folders', () => {
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

test('filters of a query admit tags and folders with those below them, types, dates, paths and titles', () => {
  const index = indexOf([
    noteOf(1, 'tide', { path: 'Sea/North/a.md', tags: ['Water/Salt'], type: 'Log', created: 10, timestamp: 50 }),
    noteOf(2, 'tide', { path: 'Sea/b.md', tags: ['water'], type: 'log', created: 20 }),
    noteOf(3, 'tide', { path: 'Seaside/c.md', tags: ['waters'], timestamp: 60 }),
  ]);
  const filtered = (filter: Partial<typeof noFilter>) =>
    sorted(index, 'tide', { ...noFilter, ...filter } as typeof noFilter);
  const some = (value: object) => value as never;
  assert.deepEqual(filtered({ tags: some(['WATER']) }), [1, 2]);
  assert.deepEqual(filtered({ tags: some(['#water/salt', 'waters']) }), [1, 3]);
  assert.deepEqual(filtered({ tags: some([]) }), []);
  assert.deepEqual(filtered({ folder: 'sea' as never }), [1, 2]);
  assert.deepEqual(filtered({ type: 'LOG' as never }), [1, 2]);
  assert.deepEqual(filtered({ created: some({ from: 10, to: 10 }) }), [1]);
  assert.deepEqual(filtered({ timestamp: some({ from: 51, to: null }) }), [3]);
  assert.deepEqual(sorted(index, 'tag:water tide'), [1, 2]);
  assert.deepEqual(sorted(index, 'tag:#water/salt'), [1]);
  assert.deepEqual(sorted(index, '-tag:water tide'), [3]);
  assert.deepEqual(sorted(index, 'folder:sea'), [1, 2]);
  assert.deepEqual(sorted(index, 'folder:north tide'), [1]);
  assert.deepEqual(sorted(index, 'path:"sea/"'), [1, 2]);
  assert.deepEqual(sorted(index, 'title:n2'), [2]);
  assert.deepEqual(sorted(index, 'tide -tide'), []);
});

test('a query of filters or exclusions alone returns all allowed notes, newest first', () => {
  const index = indexOf([noteOf(1, 'tide', { tags: ['a'] }), noteOf(2, 'anchor', { tags: ['a'] }), noteOf(3, 'rope')]);
  assert.deepEqual(numbers(index, 'tag:a'), [2, 1]);
  assert.deepEqual(numbers(index, '-tide'), [3, 2]);
  assert.deepEqual(numbers(index, '…'), []);
});
