import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NearNames } from './near-names.ts';

const names = new NearNames<string>();
for (const name of ['Compost', 'Compost heap', 'Crop rotation', 'Soil', 'Ätherische Öle', '東京の庭'])
  names.add(name, name);

test('NearNames finds names with a slip, other endings and further words, the nearest first', () => {
  assert.deepEqual(names.find('Composts', 3), ['Compost', 'Compost heap']);
  assert.deepEqual(names.find('compsot', 3), ['Compost']);
  assert.deepEqual(names.find('crop rotations', 3), ['Crop rotation']);
  assert.deepEqual(names.find('ätherische öl', 1), ['Ätherische Öle']);
  assert.deepEqual(names.find('東京の庭園', 1), ['東京の庭']);
});

test('NearNames finds nothing for a name like no other', () => {
  assert.deepEqual(names.find('Nowhere', 3), []);
  assert.deepEqual(names.find('', 3), []);
});
