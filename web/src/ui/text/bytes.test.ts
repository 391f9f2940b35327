import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bytes } from './bytes.ts';

test('bytes writes sizes in the largest unit that fits', () => {
  assert.deepEqual(
    [0, 1, 999].map((count) => bytes(count, 'en')),
    ['0 bytes', '1 byte', '999 bytes'],
  );
  assert.deepEqual(
    [1, 70].map((count) => bytes(count, 'de').replace('\u00a0', ' ')),
    ['1 Byte', '70 Byte'],
  );
  assert.equal(bytes(70, 'ja').replace(/\s/, ''), '70バイト');
  assert.equal(bytes(1500, 'en'), '1.5 kB');
  assert.equal(bytes(15_400_000, 'en'), '15 MB');
  assert.equal(bytes(2.5e9, 'de').replace('\u00a0', ' '), '2,5 GB');
});
