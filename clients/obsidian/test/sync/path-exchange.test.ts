import assert from 'node:assert/strict';
import { it } from 'node:test';
import { type DiskFile, DiskRefused } from '@notevault/sync/engine/ports.ts';
import { VaultDisk } from '../../src/sync/vault-disk.ts';
import { StandInApp } from '../stand-in/app.ts';
import { Device } from '../stand-in/device.ts';

let ids = 0;
const clock = {
  now: () => 1_700_000_000_000,
  ticks: () => 0,
  sleep: async () => undefined,
  uuid: () => `${++ids}`.padStart(8, '0'),
};

/** The app starts on what the device has. */
async function started(device: Device): Promise<{ readonly app: StandInApp; readonly disk: VaultDisk }> {
  const app = new StandInApp(device);
  app.start();
  const rules = { settings: [], exclusions: '', bytesMax: null, checkRoot: async () => undefined };
  const disk = new VaultDisk({ app: app.asApp, clock, folderId: 'f', before: new Map(), ...rules });
  await disk.recover();
  return { app, disk };
}

async function moveMany(disk: VaultDisk, moves: Readonly<Record<string, string>>): Promise<readonly DiskFile[]> {
  const { files } = await disk.list();
  const entry = (path: string) => files.find((file) => file.path === path) as DiskFile;
  return disk.moveMany(Object.entries(moves).map(([from, to]) => ({ from: entry(from), to })));
}

const contentsOf = (device: Device, paths: readonly string[]) => paths.map((path) => device.disk.text(path));
const PATHS = ['p.md', 'q.md', 'r.md'];

it('names are exchanged with the objects that the app has of the files, so that open notes stay open', async () => {
  const device = new Device();
  for (const path of PATHS) device.disk.write(path, path);
  const { app, disk } = await started(device);
  const before = PATHS.map((path) => app.vault.getFileByPath(path));
  const moved = await moveMany(disk, { 'p.md': 'q.md', 'q.md': 'r.md', 'r.md': 'p.md' });
  assert.deepEqual(contentsOf(device, PATHS), ['r.md', 'p.md', 'q.md']);
  assert.deepEqual(
    before.map((file) => file?.path),
    ['q.md', 'r.md', 'p.md'],
  );
  const { files } = await disk.list();
  const shown = (of: readonly DiskFile[]) => new Map(of.map(({ path, fileId }) => [path, fileId]));
  assert.deepEqual(shown(moved), new Map(['q.md', 'r.md', 'p.md'].map((path) => [path, shown(files).get(path)])));
});

it('an app killed at any step of an exchange has its old names after a restart, and lists no others', async () => {
  for (let steps = 0; ; steps++) {
    const device = new Device();
    for (const path of PATHS) device.disk.write(path, path);
    const { app, disk } = await started(device);
    await disk.list();
    let left = steps;
    const ends = async () => {
      if (left <= 0) app.kill();
      if (left-- <= 0) throw new Error('the app has ended');
    };
    device.diskTurn = ends;
    const isEnded = await moveMany(disk, { 'p.md': 'q.md', 'q.md': 'r.md', 'r.md': 'p.md' }).then(
      () => false,
      () => true,
    );
    device.diskTurn = async () => undefined;
    const again = await started(device);
    const expected = isEnded ? PATHS : ['r.md', 'p.md', 'q.md'];
    assert.deepEqual(contentsOf(device, PATHS), expected, `after ${steps} steps`);
    assert.deepEqual((await again.disk.list()).files.map(({ path }) => path).sort(), PATHS);
    assert.deepEqual(await again.disk.kept.list(), []);
    if (!isEnded) break;
    assert.ok(steps < 200);
  }
});

it('a note takes the name of its folder only if nothing else is in it', async () => {
  const device = new Device();
  device.disk.makeFolder('n.md');
  device.disk.write('n.md/x.md', 'text');
  const { disk } = await started(device);
  device.disk.write('n.md/.hidden', 'other');
  await assert.rejects(moveMany(disk, { 'n.md/x.md': 'n.md' }), DiskRefused);
  assert.equal(device.disk.text('n.md/x.md'), 'text');
  device.disk.remove('n.md/.hidden');
  await moveMany(disk, { 'n.md/x.md': 'n.md' });
  assert.equal(device.disk.text('n.md'), 'text');
});
