import assert from 'node:assert/strict';
import { test } from 'node:test';
import { canonicalHash } from './canonical-json.ts';

const same = (a: unknown, b: unknown) => assert.equal(canonicalHash(a), canonicalHash(b));
const differ = (a: unknown, b: unknown) => assert.notEqual(canonicalHash(a), canonicalHash(b));

test('the order of fields does not matter, at any depth', () => {
  same({ a: 1, b: { c: [1, { d: 2, e: 3 }], f: null } }, { b: { f: null, c: [1, { e: 3, d: 2 }] }, a: 1 });
});

test('whatever else differs, differs', () => {
  const values = [
    ...[null, 0, '', false, [], {}, [[]], [null], ['1'], [1], '1', 1, '[]', '{}', { a: null }, { '': 1 }],
    ...[{ a: 1 }, { a: '1' }, { a: [1] }, { b: 1 }, [1, 2], [2, 1], [12], [[1], 2], [[1, 2]], ['a', 'b'], ['a","b']],
    ...[{ a: 1, b: 2 }, { a: 2, b: 1 }, { a: { b: 1 } }, [{ a: 1 }, { b: 1 }], [{ a: 1, b: 1 }], { '","': 1 }],
  ];
  assert.equal(new Set(values.map(canonicalHash)).size, values.length);
  differ({ content: 'x'.repeat(100_000) }, { content: `${'x'.repeat(99_999)}y` });
});

test('depth costs no stack', () => {
  let deep: unknown = 1;
  for (let level = 0; level < 1_000_000; level++) deep = level % 2 === 0 ? [deep] : { a: deep };
  assert.equal(canonicalHash(deep).length, 64);
});
