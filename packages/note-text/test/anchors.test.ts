import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findHeading } from '../src/links/anchors.ts';
import { scan } from '../src/scan.ts';
import { blockIdsOf } from './grammar/block-ids.ts';

const NOTE = `# Spring
## Tasks
# Autumn
## Tasks
### C# notes
## *Bold* and [[a|b]]
# Notes
`;

function heading(anchor: string): string | undefined {
  const { headings } = scan(NOTE);
  const found = headings[findHeading(headings, anchor)];
  return found === undefined ? undefined : NOTE.slice(0, found.start).split('\n').length + found.text;
}

test('an anchor names a heading without regard to case, marks and what links cannot have', () => {
  assert.equal(heading('tasks'), '2Tasks');
  assert.equal(heading('Bold and a b'), '6*Bold* and [[a|b]]');
  assert.equal(heading('Winter'), undefined);
});

test('an anchor with the headings above names the one below them', () => {
  assert.equal(heading('Autumn#Tasks'), '4Tasks');
  assert.equal(heading('Spring#Tasks'), '2Tasks');
  assert.equal(heading('Autumn#Tasks#C# notes'), '5C# notes');
});

test('an anchor whose headings above are not there names the first of that text', () => {
  assert.equal(heading('Summer#Tasks'), '2Tasks');
});

test('a heading that has a # of its own is found', () => {
  assert.equal(heading('C# notes'), '5C# notes');
});

test('block ids end lines of text, not of code or frontmatter', () => {
  const note = '---\ntitle: a ^no\n---\ntext ^one\n\n```\ncode ^no\n```\n\n- item ^two-2\r\n^three\na^no ^no more\n';
  assert.deepEqual(blockIdsOf(note), ['one', 'two-2', 'three']);
});
