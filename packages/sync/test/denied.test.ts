import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DiskRefused } from '../src/engine/ports.ts';
import { LoneDevice } from './simulation/lone-device.ts';

const MINUTE_MS = 60_000;
const DENIED = { cause: new Error('EACCES'), isDenied: true };

/** Denies work on files until the returned function is called. */
function deny(device: LoneDevice, method: 'requireWritable' | 'readBytes', isDenied: (path: string) => boolean) {
  const real = device.disk[method].bind(device.disk) as (file: never) => Promise<never>;
  device.disk[method] = (async (file: string | { readonly path: string }) => {
    if (isDenied(typeof file === 'string' ? file : file.path)) throw new DiskRefused('is denied', DENIED);
    return real(file as never);
  }) as never;
  return () => {
    device.disk[method] = real as never;
  };
}

test('a file without permission is reported as denied, and written by the next run once allowed', async () => {
  const device = new LoneDevice();
  for (const path of ['a.md', 'b.md']) device.server.agentCreate(path, `${path}\n`);
  const engine = await device.engine();
  const allow = deny(device, 'requireWritable', (path) => path === 'a.md');
  const { kind, done, unsynced, retryAt } = await engine.sync();
  assert.deepEqual([kind, done, unsynced], ['in step', 1, [{ path: 'a.md', reason: 'is denied', isDenied: true }]]);
  assert.equal(retryAt, device.now + MINUTE_MS);
  allow();
  assert.deepEqual((await engine.sync()).unsynced, []);
  assert.deepEqual(device.both[0], device.both[1]);
});

test('an unreadable file is neither deleted nor replaced, even without a hash, and synced once readable', async () => {
  const device = new LoneDevice();
  for (const path of ['f/a.md', 'f/b.md', 'c.md']) device.disk.userWrite(path, `${path}\n`);
  await device.sync();
  const [a] = device.server.live;
  assert.ok(a);
  device.server.agentWrite(a, 'later there\n');
  device.server.agentCreate('new.md', 'new there\n');
  device.disk.userWrite('new.md', 'new here\n');
  const engine = await device.engine();
  const allow = deny(device, 'readBytes', (path) => path !== 'c.md');
  await engine.checkAll();
  for (let run = 0; run < 3; run++) {
    const { kind, unsynced, retryAt } = await engine.sync();
    const denied = unsynced.filter(({ isDenied }) => isDenied).map(({ path }) => path);
    assert.deepEqual([kind, denied.sort()], ['in step', ['f/a.md', 'f/b.md', 'new.md']]);
    assert.equal(retryAt, device.now + MINUTE_MS);
    device.pass(10_000);
  }
  const paths = ['c.md', 'f/a.md', 'f/b.md', 'new.md'];
  for (const side of device.both) assert.deepEqual([...side.keys()].sort(), paths);
  assert.equal(device.disk.contents.get('f/a.md'), 'f/a.md\n');
  allow();
  const { kind, unsynced } = await engine.sync();
  assert.deepEqual([kind, unsynced], ['in step', []]);
  assert.deepEqual(device.both[0], device.both[1]);
  assert.equal(device.disk.contents.get('f/a.md'), 'later there\n');
  assert.equal(device.both[1].size, 5);
});
