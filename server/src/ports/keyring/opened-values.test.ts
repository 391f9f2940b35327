import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { Type } from 'typebox';
import { KeyringError } from './keyring.ts';
import { OpenedValues } from './opened-values.ts';
import { SealedJson } from './sealed-json.ts';
import { sealingKey } from './sealing.ts';

const text = new SealedJson(1, Type.String());
const newKey = () => sealingKey(randomBytes(32), { kind: 'vault', id: 'v' }, 0, randomBytes);
const contextOf = (row: string, version: number) => ({ kind: 'k', row, version });

/** Opens values through `opened`, and counts how many were not known. */
function opening(opened: OpenedValues<string>) {
  const counted = { made: 0 };
  const open = (key: ReturnType<typeof newKey>, row: string, version: number, bytes: Buffer) =>
    opened.open(key, row, version, bytes, () => {
      counted.made++;
      return text.open(key, contextOf(row, version), bytes);
    });
  return { counted, open };
}

test('a value is opened once for its key, row, version and bytes', () => {
  const { counted, open } = opening(new OpenedValues(100_000));
  const key = newKey();
  const first = text.seal(key, contextOf('a', 1), 'first');
  assert.equal(open(key, 'a', 1, first), 'first');
  assert.equal(open(key, 'a', 1, Buffer.from(first)), 'first');
  assert.equal(counted.made, 1);
  const second = text.seal(key, contextOf('a', 2), 'second');
  assert.equal(open(key, 'a', 2, second), 'second');
  assert.equal(open(key, 'a', 1, first), 'first');
  assert.equal(counted.made, 3);
});

test('a known value is no answer for another key, row, version or damaged bytes', () => {
  const { open } = opening(new OpenedValues(100_000));
  const key = newKey();
  const bytes = text.seal(key, contextOf('a', 1), 'mine');
  const unreadable = (work: () => unknown) => assert.throws(work, KeyringError);
  for (let place = 0; place < bytes.length; place++) {
    assert.equal(open(key, 'a', 1, bytes), 'mine');
    const damaged = Buffer.from(bytes);
    damaged[place] = (damaged[place] ?? 0) ^ 1;
    unreadable(() => open(key, 'a', 1, damaged));
  }
  assert.equal(open(key, 'a', 1, bytes), 'mine');
  unreadable(() => open(newKey(), 'a', 1, bytes));
  unreadable(() => open(key, 'b', 1, bytes));
  unreadable(() => open(key, 'a', 2, bytes));
});

test('values beyond the bound are forgotten, those in use last', () => {
  const { counted, open } = opening(new OpenedValues(10_000));
  const key = newKey();
  const rows = Array.from({ length: 500 }, (_, index) => `row ${index}`);
  const sealed = new Map(rows.map((row) => [row, text.seal(key, contextOf(row, 1), row)]));
  const read = (row: string) => open(key, row, 1, sealed.get(row) ?? Buffer.alloc(0));
  for (const row of rows) {
    assert.equal(read(row), row);
    assert.equal(read('row 0'), 'row 0');
  }
  assert.equal(counted.made, rows.length);
  for (const row of rows.slice(1, 400)) read(row);
  assert.equal(counted.made, rows.length + 399);
});

test('all values can be forgotten', () => {
  const opened = new OpenedValues<string>(10_000);
  const { counted, open } = opening(opened);
  const key = newKey();
  const bytes = text.seal(key, contextOf('a', 1), 'mine');
  open(key, 'a', 1, bytes);
  opened.clear();
  open(key, 'a', 1, bytes);
  assert.equal(counted.made, 2);
});
