import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SearchResult } from '@notevault/protocol/search.ts';
import { headingsElsewhere, outlineOf } from './found-headings.ts';

const hit = (id: string, title: string, heading_path: string) => ({ id, title, heading_path }) as SearchResult;

test('headings of other notes are those above a hit that have the words, with what is above them', () => {
  const hits = [
    hit('a', 'Soup', 'Soup > Winter > Cold days > Leeks'),
    hit('b', 'Cold days', 'Cold days'),
    hit('c', 'Weather', ''),
    hit('open', 'Open', 'Cold days'),
  ];
  assert.deepEqual(headingsElsewhere(hits, 'cold', 'open', 5), [
    { id: 'a', name: 'Cold days', where: 'Soup › Winter' },
  ]);
});

test('of the headings of other notes, those that begin with the words come first, however deep they are', () => {
  const hits = [hit('a', 'A', 'Close tabs > Pin tabs'), hit('b', 'B', 'Tabs and groups > Tabs'), hit('c', 'C', 'Tabs')];
  const found = (most: number) => headingsElsewhere(hits, 'tabs', null, most).map(({ name, where }) => [name, where]);
  assert.deepEqual(found(3), [
    ['Tabs', 'B › Tabs and groups'],
    ['Tabs', 'C'],
    ['Tabs and groups', 'B'],
  ]);
  assert.equal(found(9).length, 5);
});

test('headings of the open note that fit stay in its order, as deep as they are below its highest', () => {
  const headings = [
    { text: 'Beds', level: 2, from: 0 },
    { text: 'North bed', level: 3, from: 10 },
    { text: 'Soil', level: 2, from: 20 },
    { text: 'Bed of peas', level: 4, from: 30 },
  ];
  const shown = (wanted: string, most = 9) => outlineOf(headings, wanted, most).map(({ name, depth }) => [name, depth]);
  assert.deepEqual(shown('bed'), [
    ['Beds', 0],
    ['North bed', 1],
    ['Bed of peas', 2],
  ]);
  assert.deepEqual(shown('', 2), [
    ['Beds', 0],
    ['North bed', 1],
  ]);
  assert.deepEqual(outlineOf([], '', 9), []);
});
