import assert from 'node:assert/strict';
import { test } from 'node:test';
import { whilePermitted } from './while-permitted.ts';

test('whilePermitted checks before a piece when a second has passed, and ends with the error of a check', async () => {
  let [now, checks] = [0, 0];
  let permitted = true;
  async function* pieces() {
    for (let i = 1; ; i++) yield i;
  }
  const check = async () => {
    checks += 1;
    if (!permitted) throw new Error('removed');
  };
  const passed = whilePermitted(pieces(), check, () => now);
  const next = async () => (await passed.next()).value;
  assert.equal(await next(), 1);
  now = 999;
  assert.deepEqual([await next(), checks], [2, 0]);
  now = 1000;
  assert.deepEqual([await next(), checks], [3, 1]);
  permitted = false;
  assert.deepEqual([await next(), checks], [4, 1]);
  now = 2000;
  await assert.rejects(next(), /removed/);
});
