import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { StandInApp } from './app.ts';
import { ManualClock, settled } from './clock.ts';
import { Device } from './device.ts';
import type { TFile } from './files.ts';
import { network, requestUrl } from './network.ts';

function started(device: Device): StandInApp {
  const app = new StandInApp(device);
  app.start();
  return app;
}

async function created(app: StandInApp, path: string, text: string): Promise<TFile> {
  return app.vault.create(path, text);
}

describe('the stand-in of the app, where the app surprises', () => {
  test('create is fired for every file before the layout is ready', async () => {
    const device = new Device();
    for (const name of ['a.md', 'b.md']) device.disk.write(name, name);
    const app = new StandInApp(device);
    const created: [string, boolean][] = [];
    app.vault.on('create', (file: TFile) => created.push([file.path, app.workspace.layoutReady]));
    app.start();
    assert.deepEqual(created, [
      ['a.md', false],
      ['b.md', false],
    ]);
  });

  test('overlapping modify and process leave a file deaf to changes from outside', async () => {
    const clock = new ManualClock();
    const app = started(new Device({ clock, diskMs: 10, seed: 1 }));
    const making = created(app, 'note.md', 'one');
    await clock.advance(100);
    const file = await making;
    const modified = app.vault.modify(file, 'two');
    const processed = app.vault.process(file, (text) => `${text}!`);
    await clock.advance(100);
    await Promise.all([modified, processed]);
    const events: string[] = [];
    app.vault.on('modify', ({ path }: TFile) => events.push(path));
    app.device.disk.write('note.md', 'from outside');
    await clock.advance(60_000);
    assert.deepEqual(events, []);
    const other = created(app, 'other.md', 'one');
    await clock.advance(100);
    await other;
    app.device.disk.write('other.md', 'from outside');
    await clock.advance(60_000);
    assert.deepEqual(events, ['other.md']);
  });

  test('a size of 0 is told for a minute after some writes, and create sometimes writes nothing', async () => {
    const clock = new ManualClock();
    const app = started(new Device({ clock, platform: 'android', sizeZeroIn: 1 }));
    const file = await created(app, 'note.md', 'text');
    app.device.disk.hideSize('note.md');
    assert.equal((await app.vault.adapter.stat('note.md'))?.size, 0);
    await clock.advance(60_000);
    assert.equal((await app.vault.adapter.stat(file.path))?.size, 4);
    app.device.faults = { ...app.device.faults, emptyCreateIn: 1 };
    await created(app, 'empty.md', 'text');
    assert.equal(await app.vault.adapter.read('empty.md'), '');
  });

  test('a change from outside is told late, or never', async () => {
    const clock = new ManualClock();
    const app = started(new Device({ clock, lateEventMs: 1_000, seed: 2 }));
    const events: string[] = [];
    app.vault.on('create', ({ path }: TFile) => events.push(path));
    app.device.disk.write('late.md', 'text');
    await settled();
    assert.deepEqual(events, []);
    await clock.advance(1_000);
    assert.deepEqual(events, ['late.md']);
    app.device.faults = { ...app.device.faults, lostEventIn: 1 };
    app.device.disk.write('lost.md', 'text');
    await clock.advance(60_000);
    assert.deepEqual(events, ['late.md']);
  });

  test('a time in fractions of a millisecond is refused', async () => {
    const app = started(new Device({ platform: 'android' }));
    await assert.rejects(app.vault.create('note.md', 'text', { mtime: 1.5 }), TypeError);
  });

  test('an app that is killed writes nothing more, and the next one finds the disk as it was left', async () => {
    const clock = new ManualClock();
    const device = new Device({ clock, diskMs: 10 });
    const app = started(device);
    void app.vault.create('never.md', 'text');
    app.kill();
    await clock.advance(1_000);
    const next = started(device);
    assert.equal(next.vault.getFileByPath('never.md'), null);
  });

  test('on Android a body of more than 16 MiB ends the app', async (context) => {
    const before = network.fetch;
    context.after(() => Object.assign(network, { fetch: before, mostBytes: Number.POSITIVE_INFINITY }));
    network.fetch = async () => new Response(new Uint8Array(17 * 1024 * 1024));
    const app = started(new Device({ platform: 'android' }));
    void requestUrl('http://localhost/');
    for (let turn = 0; turn < 10 && !app.isDead; turn++) await new Promise((resolve) => setImmediate(resolve));
    assert.equal(app.isDead, true);
  });

  test('a disk that folds case has one file for both spellings, and one that does not has two', async () => {
    for (const [foldsCase, count] of [
      [true, 1],
      [false, 2],
    ] as const) {
      const { disk } = new Device({ foldsCase });
      disk.write('Note.md', 'one');
      disk.write('note.md', 'two');
      assert.equal(disk.list('').length, count);
    }
  });

  test('what a phone stores may be gone at the next start, but the files are not', () => {
    const device = new Device({ platform: 'ios' });
    device.disk.write('note.md', 'text');
    const app = started(device);
    app.saveLocalStorage('key', 'value');
    app.secretStorage.setSecret('token', 'value');
    device.purgeStorage();
    const next = started(device);
    assert.deepEqual([next.loadLocalStorage('key'), next.secretStorage.getSecret('token')], [null, null]);
    assert.equal(next.vault.getFiles().length, 1);
  });
});
