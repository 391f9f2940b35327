import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Block, blocksIn, namingOf, newBlockId } from './blocks.ts';

const NOTE = `---
tags: [a]
---
# Heading

A paragraph
of two lines ^para

- first ^item
- [ ] second
  - third

> quoted
>
> named ^quote

| a |
|---|

^table

\`\`\`
code
\`\`\`
last  `;

function named(note: string, block: Block | undefined): string | null {
  const naming = block === undefined ? null : namingOf(note, block, 'new');
  return naming === null ? null : `${note.slice(0, naming.at)}${naming.insert}${note.slice(naming.at)} @${naming.id}`;
}

const textsIn = (note: string) => blocksIn(note).map(({ text, id }) => [text, id]);

test('the blocks of a note are its paragraphs and items, and what an id on a line of its own names', () => {
  assert.deepEqual(textsIn(NOTE), [
    ['A paragraph', 'para'],
    ['first', 'item'],
    ['second', null],
    ['third', null],
    ['named', 'quote'],
    ['| a |', 'table'],
    ['last', null],
  ]);
});

test('an id is written at the end of its block, before the blanks there', () => {
  const [, , second, , , , last] = blocksIn(NOTE);
  assert.equal(named(NOTE, last), `${NOTE.replace('last  ', 'last ^new  ')} @new`);
  assert.equal(named(NOTE, second), `${NOTE.replace('second', 'second ^new')} @new`);
  assert.equal(named('a\r\n\r\nb\r\n', { text: 'a', id: null, from: 0, to: 1 }), 'a ^new\r\n\r\nb\r\n @new');
});

test('in a note that changed meanwhile, the block is found again with the id that it has by now', () => {
  const [, , second] = blocksIn(NOTE);
  const moved = `above\n\n${NOTE.slice(NOTE.indexOf('#'))}`;
  assert.equal(named(moved, second), `${moved.replace('second', 'second ^new')} @new`);
  const theirs = NOTE.replace('second', 'second ^theirs');
  assert.equal(named(theirs, second), `${theirs} @theirs`);
  assert.equal(named(NOTE.replace('second', 'other'), second), null);
  assert.equal(named('same\n\nsame', { text: 'same', id: null, from: 6, to: 10 }), 'same\n\nsame ^new @new');
});

test('new ids are six letters and digits that the note does not have', () => {
  assert.match(newBlockId(NOTE), /^[a-z0-9]{6}$/);
});
