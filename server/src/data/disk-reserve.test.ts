import assert from 'node:assert/strict';
import { statSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { MB } from '@notevault/protocol/values/byte-units.ts';
import { Folder } from '../../test/kit/programs/process.ts';
import { SmallDisk } from '../../test/kit/programs/small-disk.ts';
import { ReserveFile } from './disk-reserve.ts';

test('a reserve takes 16 MB once, and is given back and taken again', async () => {
  using folder = new Folder();
  const size = () => statSync(folder.at('reserve')).size;
  const reserve = await ReserveFile.open(folder.path);
  assert.deepEqual([reserve.isFull, size()], [false, 16 * MB]);
  await Promise.all([reserve.release(), reserve.release()]);
  assert.equal(size(), 0);
  assert.deepEqual([await reserve.take(), size()], [true, 16 * MB]);
  assert.equal((await ReserveFile.open(folder.path)).isFull, false);
});

const skip = SmallDisk.isMissing('the reserve on a disk that is really full');

test('a reserve is given back at the start on a full disk, and taken again only when it fits', { skip }, async () => {
  using disk = SmallDisk.mount(40);
  assert.equal((await ReserveFile.open(disk.path)).isFull, false);
  disk.fill(`${disk.path}/ballast`, 0);
  const reserve = await ReserveFile.open(disk.path);
  assert.deepEqual([reserve.isFull, statSync(`${disk.path}/reserve`).size, await reserve.take()], [true, 0, false]);
  assert.equal((await ReserveFile.open(disk.path)).isFull, true, 'also after a restart, with 16 MB free');
  disk.fill(`${disk.path}/ballast`, 30 * MB);
  assert.equal(await reserve.take(), true);
});

test('a disk that has no room for a reserve is used without one, until it is full', { skip }, async () => {
  using disk = SmallDisk.mount(12);
  const reserve = await ReserveFile.open(disk.path);
  assert.equal(reserve.isFull, false);
  writeFileSync(`${disk.path}/ballast`, Buffer.alloc(10 * MB));
  assert.equal(await reserve.take(), false);
  assert.equal((await ReserveFile.open(disk.path)).isFull, true);
});
