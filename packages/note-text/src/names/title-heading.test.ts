import assert from 'node:assert/strict';
import { test } from 'node:test';
import { beginsWithTitle } from './title-heading.ts';

test('a text begins with its title if its first line is a heading of that name', () => {
  assert.equal(beginsWithTitle('# Beds\n\nPeas', 'Beds'), true);
  assert.equal(beginsWithTitle('---\ntags: [a]\n---\n\n# Beds #\n', 'Beds'), true);
  assert.equal(beginsWithTitle('# Beds', 'Beds'), true);
});

test('a text does not begin with its title after other lines, under another name, or as a smaller heading', () => {
  assert.equal(beginsWithTitle('Peas\n# Beds\n', 'Beds'), false);
  assert.equal(beginsWithTitle('# Other\n', 'Beds'), false);
  assert.equal(beginsWithTitle('## Beds\n', 'Beds'), false);
  assert.equal(beginsWithTitle('', 'Beds'), false);
});
