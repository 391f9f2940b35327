import assert from 'node:assert/strict';
import { test } from 'node:test';
import { excerptOf } from './excerpt.ts';

const NOTE = `---
tags: [a]
---
intro

# One
text of one

## One: *inner*
inner text

# Two
a paragraph
of two lines ^para

- first ^item
- second

| a |
|---|
^table
`;

test('an excerpt without an anchor is the note without its frontmatter', () => {
  assert.ok(excerptOf(NOTE, null)?.startsWith('intro\n'));
});

test('the excerpt of a heading ends before the next one of its level', () => {
  assert.equal(excerptOf(NOTE, 'one'), '# One\ntext of one\n\n## One: *inner*\ninner text');
  assert.equal(excerptOf(NOTE, 'One#One inner'), '## One: *inner*\ninner text');
  assert.equal(excerptOf(NOTE, 'Three'), null);
});

test('the excerpt of a block is its paragraph, its item, or what is before its line', () => {
  assert.equal(excerptOf(NOTE, '^para'), '# Two\na paragraph\nof two lines');
  assert.equal(excerptOf(NOTE, '^item'), '- first');
  assert.equal(excerptOf(NOTE, '^table'), '| a |\n|---|');
  assert.equal(excerptOf(NOTE, '^none'), null);
});
