import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { test } from 'node:test';
import { Folder } from '../../../test/kit/programs/process.ts';
import { DiskSpool } from './disk.ts';

test('DiskSpool bounds its bytes, and returns all values in order, as often as they are read', async () => {
  using folder = new Folder();
  await using spool = new DiskSpool<{ at: number; bytes: Buffer }>(folder.path, 10_000);
  for (let at = 0; at < 20; at++) {
    await spool.add({ at, bytes: Buffer.alloc(3000, at) });
    assert.ok(spool.heldBytes <= 10_000);
  }
  assert.equal(spool.isOnDisk, true);
  for (let round = 0; round < 2; round++) {
    let next = 0;
    for await (const { at, bytes } of spool.values()) {
      assert.deepEqual([at, bytes.equals(Buffer.alloc(3000, at))], [next, true]);
      next += 1;
    }
    assert.equal(next, 20);
  }
  assert.deepEqual(await readdir(folder.path), [], 'the file has no name');
});

test('DiskSpool keeps few values in memory', async () => {
  await using spool = new DiskSpool<number>('/nowhere');
  await spool.add(1);
  await spool.add(2);
  assert.deepEqual(await Array.fromAsync(spool.values()), [1, 2]);
  assert.equal(spool.isOnDisk, false);
});

test('DiskSpool refuses to be read once it is closed, even in the middle', async () => {
  const spool = new DiskSpool<number>('/nowhere');
  await spool.add(1);
  await spool.add(2);
  const begun = spool.values()[Symbol.asyncIterator]();
  await begun.next();
  await spool[Symbol.asyncDispose]();
  await assert.rejects(begun.next(), /closed/);
  await assert.rejects(Array.fromAsync(spool.values()), /closed/);
  await assert.rejects(spool.add(3), /closed/);
});
