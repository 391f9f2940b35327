import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bestMatches, isSameName, withWords } from '../src/names/match.ts';
import { compareCodePoints, nameOrder } from '../src/names/order.ts';

function found(query: string, ...paths: string[]): string[] {
  const candidates = paths.map((path) => {
    const at = path.lastIndexOf('/');
    return { name: path.slice(at + 1), detail: path.slice(0, Math.max(0, at)), path };
  });
  return bestMatches(candidates, query).map(({ path }) => path);
}

test('bestMatches puts beginnings before words, and words before spread letters', () => {
  const paths = ['t/garbled thread', 'Big garden', 'Gardens', 'Garden', 'Xgarden', 'a/other'];
  assert.deepEqual(found('gard', ...paths), ['Garden', 'Gardens', 'Big garden', 'Xgarden', 't/garbled thread']);
});

test('bestMatches wants every word, in the name or in the folder', () => {
  assert.deepEqual(found('soup kitchen', 'Kitchen/Soup', 'Kitchen/Bread', 'Soup'), ['Kitchen/Soup']);
  assert.deepEqual(found('zzz', 'Garden'), []);
});

test('bestMatches keeps the order without a query', () => {
  assert.deepEqual(found(' ', 'b', 'a'), ['b', 'a']);
});

test('bestMatches finds names whatever their case and however their letters are composed', () => {
  assert.deepEqual(found('CAFÉ', 'cafe\u0301'), ['cafe\u0301']);
  assert.deepEqual(found('strasse', 'Straße'), ['Straße']);
});

test('bestMatches takes the beginning of a word for one, also after the same letters within a word', () => {
  assert.deepEqual(found('art', 'Start art', 'Restart'), ['Start art', 'Restart']);
  assert.deepEqual(found('art', 'Partly', 'Start art'), ['Start art', 'Partly']);
});

test('bestMatches puts the shorter of equal names first, and returns so many', () => {
  assert.deepEqual(found('g', 'Garden', 'G', 'Gain'), ['G', 'Gain', 'Garden']);
  assert.deepEqual(bestMatches([{ name: 'ab' }, { name: 'a' }], 'a', 1), [{ name: 'a' }]);
});

test('withWords keeps the order, and only what has each word as it is written', () => {
  const notes = [
    { name: 'Soup', detail: 'Kitchen' },
    { name: 'Bread', detail: 'Kitchen' },
    { name: 'Soap opera', detail: '' },
  ];
  assert.deepEqual(withWords(notes, 'kitchen sou'), [notes[0]]);
  assert.deepEqual(withWords(notes, 'sp'), []);
  assert.equal(withWords(notes, ' '), notes);
});

test('isSameName says what collides as a path', () => {
  assert.ok(isSameName('Straße', 'STRASSE'));
  assert.ok(!isSameName('a', 'b'));
});

test('names for people are ordered by their language and by numbers, for programs by code points', () => {
  assert.deepEqual(['z', 'ä', 'a10', 'a9', 'B'].sort(nameOrder('de')), ['ä', 'a9', 'a10', 'B', 'z']);
  assert.deepEqual(['z', 'ä', 'a'].sort(nameOrder('sv')), ['a', 'z', 'ä']);
  assert.deepEqual(['\u{1f600}', '\uff5a', 'a'].sort(compareCodePoints), ['a', '\uff5a', '\u{1f600}']);
});
