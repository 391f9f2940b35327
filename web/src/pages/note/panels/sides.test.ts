import assert from 'node:assert/strict';
import { test } from 'node:test';
import { differenceOf } from '@notevault/note-text/diff/difference.ts';
import fc from 'fast-check';
import { bothOf, sidesOf, textOf } from './sides.ts';

const rowsOf = (before: string, after: string) =>
  sidesOf(differenceOf(before, after)).map((block) => [block.isSame, textOf(block.before), textOf(block.after)]);

test('lines that both texts have part the blocks that differ', () => {
  assert.deepEqual(rowsOf('one\ntwo beans\nthree\nfour\n', 'one\ntwo peas\nthree\nfive\nfour\n'), [
    [true, 'one\n', 'one\n'],
    [false, 'two beans\n', 'two peas\n'],
    [true, 'three\n', 'three\n'],
    [false, '', 'five\n'],
    [true, 'four\n', 'four\n'],
  ]);
  assert.deepEqual(rowsOf('', ''), []);
});

const line = fc.constantFrom('bean', 'peas', ' ', 's', 'ä', '豆', '\n', '\n');
const text = fc.array(line, { maxLength: 30 }).map((parts) => parts.join(''));

test('the blocks keep all of both texts, and neighbours are of two kinds', () => {
  fc.assert(
    fc.property(text, text, (before, after) => {
      const blocks = sidesOf(differenceOf(before, after));
      assert.equal(blocks.map((block) => textOf(block.before)).join(''), before);
      assert.equal(blocks.map((block) => textOf(block.after)).join(''), after);
      for (const [at, { isSame }] of blocks.entries()) assert.notEqual(isSame, blocks[at + 1]?.isSame);
      for (const block of blocks.slice(0, -1)) if (block.isSame) assert.ok(textOf(block.before).endsWith('\n'));
    }),
  );
});

test('both sides of a block are on lines of their own', () => {
  const [block] = sidesOf(differenceOf('one', 'two'));
  assert.ok(block !== undefined);
  assert.equal(bothOf(block), 'one\ntwo');
});
