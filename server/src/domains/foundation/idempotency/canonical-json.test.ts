import assert from 'node:assert/strict';
import { test } from 'node:test';
import { canonicalForm } from './canonical-json.ts';

const hashOf = async (value: unknown) => (await canonicalForm(value)).hash;
const same = async (a: unknown, b: unknown) => assert.equal(await hashOf(a), await hashOf(b));
const differ = async (a: unknown, b: unknown) => assert.notEqual(await hashOf(a), await hashOf(b));

test('canonicalForm ignores the order of fields, at any depth', async () => {
  await same({ a: 1, b: { c: [1, { d: 2, e: 3 }], f: null } }, { b: { f: null, c: [1, { e: 3, d: 2 }] }, a: 1 });
});

test('canonicalForm distinguishes values that differ in anything else', async () => {
  const values = [
    ...[null, 0, '', false, [], {}, [[]], [null], ['1'], [1], '1', 1, '[]', '{}', { a: null }, { '': 1 }],
    ...[{ a: 1 }, { a: '1' }, { a: [1] }, { b: 1 }, [1, 2], [2, 1], [12], [[1], 2], [[1, 2]], ['a', 'b'], ['a","b']],
    ...[{ a: 1, b: 2 }, { a: 2, b: 1 }, { a: { b: 1 } }, [{ a: 1 }, { b: 1 }], [{ a: 1, b: 1 }], { '","': 1 }],
  ];
  assert.equal(new Set(await Promise.all(values.map(hashOf))).size, values.length);
  const long = 'x'.repeat(100_000);
  await differ({ content: long }, { content: `${'x'.repeat(99_999)}y` });
  await differ({ content: long }, { content: `${long}x` });
  await differ([long, 'y'], [`${long}y`]);
  // A slice ends between the halves of a surrogate pair, and one half is missing.
  const pairs = `a${'\ud83d\ude00'.repeat(50_000)}`;
  await differ({ content: `${pairs}\ud83d` }, { content: `${pairs}\ufffd` });
  await same({ content: pairs }, { content: `a${'\u{1f600}'.repeat(50_000)}` });
});

test('canonicalForm handles deep values without using the stack', async () => {
  let deep: unknown = 1;
  for (let level = 0; level < 1_000_000; level++) deep = level % 2 === 0 ? [deep] : { a: deep };
  assert.equal((await hashOf(deep)).length, 64);
});

test('canonicalForm lets other work run while it hashes a text of 10 MB', async () => {
  let turns = 0;
  const form = await canonicalForm({ content: 'x'.repeat(10_000_000), note: 'short' }, async () => {
    turns += 1;
  });
  assert.ok(turns > 100);
  assert.deepEqual(
    form.longTexts.map((text) => text.length),
    [10_000_000],
  );
});
