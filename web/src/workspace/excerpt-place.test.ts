import assert from 'node:assert/strict';
import { test } from 'node:test';
import { placeOfExcerpt } from './excerpt-place.ts';

const NOTE =
  '# Soil\n\nThe **soil** test says [[pH 6.4|acid]].\n\n- soil in the _north_ bed\n- Soil in the south bed\n';

function found(excerpt: string, word: string, more = {}): string | null {
  const start = excerpt.lastIndexOf(word);
  const place = placeOfExcerpt(NOTE, { excerpt, start, end: start + word.length, ...more });
  return place === null ? null : `${NOTE.slice(place.from, place.to)}${NOTE.slice(place.to, place.to + 9)}`;
}

test('a found word is gone to where the words beside it are the same, whatever marks are between them', () => {
  assert.equal(found('…soil in the north bed Soil', 'Soil'), 'Soil in the s');
  assert.equal(found('The soil test says acid.', 'soil'), 'soil** test s');
  assert.equal(found('土 soil in the north', 'soil'), 'soil in the _');
});

test('a found word whose neighbours have changed is gone to where it is, nearest to where it was', () => {
  assert.equal(found('changed soil meanwhile', 'soil'), 'Soil\n\nThe **s');
  assert.equal(found('changed soil meanwhile', 'soil', { offset: NOTE.indexOf('south') }), 'Soil in the s');
  assert.equal(found('clay and sand', 'sand'), null);
  assert.equal(found('…', '…'), null);
});

test('places are right behind letters that are longer in lower case, and of two units', () => {
  const note = 'İİ 𠮷 soil';
  assert.deepEqual(placeOfExcerpt(note, { excerpt: 'soil', start: 0, end: 4 }), { from: 6, to: 10 });
});
