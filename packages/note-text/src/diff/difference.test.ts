import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { differenceOf, shortened } from './difference.ts';

test('differenceOf shows changed words', () => {
  assert.deepEqual(differenceOf('Sow beans in May.', 'Sow peas in May.'), [
    { kind: 'same', text: 'Sow ' },
    { kind: 'removed', text: 'beans' },
    { kind: 'added', text: 'peas' },
    { kind: 'same', text: ' in May.' },
  ]);
  assert.deepEqual(differenceOf('', ''), []);
});

const text = fc
  .array(fc.constantFrom('bean', 'peas', ' ', 's', '.', 'ä', '豆', '\n'), { maxLength: 30 })
  .map((parts) => parts.join(''));

test('differenceOf keeps all of both texts', () => {
  fc.assert(
    fc.property(text, text, (before, after) => {
      const pieces = differenceOf(before, after);
      const without = (kind: string) => pieces.filter((piece) => piece.kind !== kind).map(({ text }) => text);
      assert.equal(without('added').join(''), before);
      assert.equal(without('removed').join(''), after);
    }),
  );
});

test('shortened leaves out what is far from any difference', () => {
  const far = 'x'.repeat(1000);
  const [first, , last] = shortened(differenceOf(`${far} old ${far}`, `${far} new ${far}`));
  assert.ok((first?.text.length ?? 0) < 300);
  assert.ok((last?.text.length ?? 0) < 300);
});
