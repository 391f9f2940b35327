import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ReadHandle } from '../../../ports/database/database.ts';
import type { OpenVault } from '../vaults/vaults.ts';
import { candidatesFor, SLICE } from './link-resolver.ts';

test('candidatesFor looks thousands of names up in slices, between which others run', async () => {
  const sizes: number[] = [];
  const handle = {
    async allMany(_statement: unknown, _params: unknown, keys: readonly Buffer[]) {
      sizes.push(keys.length);
      return [];
    },
  } as unknown as ReadHandle;
  const keys = Array.from({ length: 20_000 }, (_, at) => Buffer.from(String(at)));
  await candidatesFor(handle, { id: 'vault' } as unknown as OpenVault, keys);
  assert.equal(Math.max(...sizes), SLICE);
  assert.equal(
    sizes.reduce((sum, size) => sum + size, 0),
    20_000,
  );
});

test('candidatesFor encodes the keys of one slice at a time, so that others do not wait for all', async () => {
  let encoded = 0;
  const keys = Array.from({ length: 5_000 }, (_, at) => {
    const key = Buffer.from(String(at));
    key.toString = (encoding) => {
      encoded += 1;
      return Buffer.prototype.toString.call(key, encoding);
    };
    return key;
  });
  const atCalls: number[] = [];
  const handle = {
    async allMany() {
      atCalls.push(encoded);
      return [];
    },
  } as unknown as ReadHandle;
  await candidatesFor(handle, { id: 'vault' } as unknown as OpenVault, [...keys, ...keys]);
  assert.deepEqual([atCalls[0], encoded], [SLICE, keys.length]);
});
