import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bytes } from './bytes.ts';

test('bytes writes sizes in the largest unit that fits', () => {
  assert.equal(bytes(0, 'en'), '0 byte');
  assert.equal(bytes(999, 'en'), '999 byte');
  assert.equal(bytes(1500, 'en'), '1.5 kB');
  assert.equal(bytes(15_400_000, 'en'), '15 MB');
  assert.equal(bytes(2.5e9, 'de').replace('\u00a0', ' '), '2,5 GB');
});
