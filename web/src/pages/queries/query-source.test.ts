import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readQuery } from './query-source.ts';

test('readQuery reads a block: conditions as they are spoken, folder, tags, columns and order', () => {
  const source = `
folder: Beds
tags: ["#garden"]
where:
  - status is growing
  - plants >= 12
  - harvested missing
  - {property: bed, op: is_not, value: North}
columns: [status, file.mtime]
sort: [{by: plants, dir: desc}]
limit: 5
color: red`;
  assert.deepEqual(readQuery('query', source), {
    views: [
      {
        name: '',
        isList: false,
        labels: {},
        request: {
          where: [
            { property: 'status', op: 'is', value: 'growing' },
            { property: 'plants', op: 'gte', value: 12 },
            { property: 'harvested', op: 'missing' },
            { property: 'bed', op: 'is_not', value: 'North' },
          ],
          match: 'all',
          folder: 'Beds',
          tags: ['garden'],
          columns: ['status', 'file.modified'],
          sort: [{ by: 'plants', dir: 'desc' }],
          limit: 5,
        },
      },
    ],
    unread: ['color'],
  });
});

test('readQuery reads the tables of a base, and names what it does not understand', () => {
  const source = `
filters:
  and:
    - file.hasTag("book")
    - note.status != "done"
    - file.name.startsWith("A")
formulas: {twice: price * 2}
properties:
  note.status: {displayName: State}
views:
  - {type: table, name: All, order: [file.name, status, formula.twice], sort: [{property: file.ctime, direction: DESC}]}
  - {type: cards, name: Shelf}`;
  const {
    views: [all, ...others],
    unread,
  } = readQuery('base', source);
  assert.deepEqual(
    others.map(({ name, isList, request }) => [name, isList, request.tags]),
    [['Shelf', false, ['book']]],
  );
  assert.deepEqual(all, {
    name: 'All',
    isList: false,
    labels: { status: 'State' },
    request: {
      where: [{ property: 'status', op: 'is_not', value: 'done' }],
      match: 'all',
      tags: ['book'],
      columns: ['status'],
      sort: [{ by: 'file.created', dir: 'desc' }],
    },
  });
  assert.deepEqual(unread, ['formulas', 'file.name.startsWith("A")', 'formula.twice', 'type: cards']);
});

test('readQuery asks for nothing by a formula, and names groups and filters that it does not know', () => {
  const source = `
views:
  - type: cards
    image: note.cover
    filters: {and: [formula.twice > 3, pages > 100], not: [pages > 500]}
    groupBy: {property: status, direction: ASC}
    sort: [{property: formula.twice, direction: DESC}, {property: pages, direction: ASC}]`;
  const { views, unread } = readQuery('base', source);
  assert.deepEqual(views[0]?.request.where, [{ property: 'pages', op: 'gt', value: 100 }]);
  assert.deepEqual(views[0]?.request.sort, [{ by: 'pages', dir: 'asc' }]);
  assert.deepEqual(unread, [
    ...['type: cards', 'groupBy', 'not: ["pages > 500"]'],
    ...['formula.twice > 3', 'formula.twice'],
  ]);
});

test('readQuery takes one or of conditions, and no text that is no query', () => {
  const [view] = readQuery('base', 'filters: {or: [a == 1, b == 2]}').views;
  assert.deepEqual([view?.request.match, view?.request.where?.length], ['any', 2]);
  assert.deepEqual(readQuery('query', 'compost heap'), { views: [], unread: ['compost heap'] });
  assert.deepEqual(readQuery('query', 'where: a == 1 && b == 2').unread, ['a == 1 && b == 2']);
});

test('readQuery reads whether notes are listed, and names other views', () => {
  const block = readQuery('query', 'view: list\nfolder: Beds');
  assert.deepEqual([block.views[0]?.isList, block.unread], [true, []]);
  assert.deepEqual(readQuery('query', 'view: cards').unread, ['view: cards']);
  const base = readQuery('base', 'views: [{type: list, name: A}, {type: table}]');
  assert.deepEqual(
    base.views.map(({ isList }) => isList),
    [true, false],
  );
});
