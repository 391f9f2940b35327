import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TreeFragment } from '@lezer/common';
import fc from 'fast-check';
import { longNote } from '../test/long-note-text.ts';
import { noteParser } from './markdown-language.ts';
import { topBlocks } from './top-blocks.ts';

type SyntaxTree = Parameters<typeof topBlocks>[0];

/** Returns the top-level blocks that a tree cursor finds. */
function walked(tree: SyntaxTree) {
  const cursor = tree.cursor();
  const blocks: { readonly name: string; readonly from: number; readonly to: number }[] = [];
  for (let isThere = cursor.firstChild(); isThere; isThere = cursor.nextSibling()) {
    blocks.push({ name: cursor.name, from: cursor.from, to: cursor.to });
  }
  return blocks;
}

function named(tree: SyntaxTree) {
  return topBlocks(tree).map(({ name, from, to }) => ({ name, from, to }));
}

const PIECES = [
  '---\na: b\n---\n',
  '# one\n',
  'text\n',
  '\n',
  '| a |\n|---|\n| b |\n',
  '```js\n',
  '> q\n',
  '- i\n  ',
  '***\n',
];
const texts = fc.array(fc.constantFrom(...PIECES), { maxLength: 60 }).map((pieces) => pieces.join(''));

test('the blocks of a note that are in no other are those that a cursor finds, also after an edit', () => {
  assert.ok(topBlocks(noteParser.parse(longNote(2000))).length > 500);
  fc.assert(
    fc.property(texts, fc.nat(400), fc.constantFrom(...PIECES), (text, place, insert) => {
      const tree = noteParser.parse(text);
      assert.deepEqual(named(tree), walked(tree));
      const at = Math.min(place, text.length);
      const changed = { fromA: at, toA: at, fromB: at, toB: at + insert.length };
      const fragments = TreeFragment.applyChanges(TreeFragment.addTree(tree), [changed]);
      const edited = noteParser.parse(text.slice(0, at) + insert + text.slice(at), fragments);
      assert.deepEqual(named(edited), walked(edited));
    }),
    { numRuns: 200 },
  );
});
