import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Clock } from '@notevault/sync/engine/ports.ts';
import { IDBFactory } from 'fake-indexeddb';
import { onSqlite } from '../../../../server/test/kit/engines.ts';
import { startServer } from '../../../../server/test/kit/server.ts';
import { until } from '../../../../server/test/kit/until.ts';
import { PluginDevice, vaultOf } from './plugin-device.ts';

const MB = 1024 * 1024;

/** Clock on which an idle sync sleeps until something wakes it. */
class RestingClock implements Clock {
  isResting = false;
  #ticks = 0;

  now(): number {
    return Math.floor(Date.now() + 60_000 + this.#ticks);
  }

  ticks(): number {
    return this.#ticks;
  }

  uuid(): string {
    return crypto.randomUUID();
  }

  async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    if (ms < 10_000) {
      this.#ticks += ms;
      await new Promise((resolve) => setImmediate(resolve));
      return;
    }
    const isOfSync = ms === 30_000;
    if (isOfSync) this.isResting = true;
    await new Promise((resolve) => signal?.addEventListener('abort', resolve, { once: true }));
    if (isOfSync) this.isResting = false;
  }
}

onSqlite('the plugin’s sync with a server', (open) => {
  const startedWith = async (name: string) => {
    const server = await startServer({ open });
    return { server, vault: await vaultOf(server, name), [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
  };

  it('sends what is written in the app, receives what others write, and does nothing where nothing changed', async () => {
    await using at = await startedWith('both');
    const phone = new PluginDevice(at.vault, { platform: 'ios' });
    await phone.write('a.md', 'one\n');
    await phone.write('pictures/p.png', 'bytes');
    await at.vault.write('b.md', 'two\r\n');
    assert.equal((await phone.sync()).kind, 'in step');
    assert.deepEqual(await at.vault.paths(), ['a.md', 'b.md', 'pictures/p.png']);
    // The ends of lines on the disk are the file’s own.
    assert.equal(phone.text('b.md'), 'two\r\n');
    await at.vault.write('a.md', 'one\nmore\n');
    await phone.write('b.md', 'two\r\nthree\r\n');
    await phone.sync();
    assert.equal(phone.text('a.md'), 'one\nmore\n');
    assert.equal(await at.vault.textOf('b.md'), 'two\r\nthree\r\n');
    phone.restart();
    const { done } = await phone.sync();
    assert.equal(done, 0);
    assert.deepEqual(phone.requests, ['GET /sync/changes']);
  });

  it('P2, C12: a file over the phone’s limit is refused with name and size, and never counts as deleted', async () => {
    await using at = await startedWith('limit');
    const desk = new PluginDevice(at.vault);
    const phone = new PluginDevice(at.vault, { platform: 'android' }, { bytesMax: MB });
    desk.device.disk.write('large.png', new Uint8Array(2 * MB), {}, desk.app.vault.adapter);
    await desk.sync();
    const down = await phone.sync();
    assert.match(down.unsynced.find(({ path }) => path === 'large.png')?.reason ?? '', /^has 2 MB, .* up to 1 MB/);
    phone.device.disk.write('own.png', new Uint8Array(3 * MB), {}, phone.app.vault.adapter);
    await phone.write('grows.png', 'small');
    const up = await phone.sync();
    assert.match(up.unsynced.find(({ path }) => path === 'own.png')?.reason ?? '', /^has 3 MB/);
    phone.device.disk.write('grows.png', new Uint8Array(2 * MB), {}, phone.app.vault.adapter);
    await phone.sync();
    assert.deepEqual(await at.vault.paths(), ['grows.png', 'large.png']);
  });

  it('P2, C1: a long file comes in pieces of a megabyte and is whole, with its hash', async () => {
    await using at = await startedWith('long');
    const [desk, phone] = [new PluginDevice(at.vault), new PluginDevice(at.vault, { platform: 'android' })];
    const bytes = new Uint8Array(5 * MB).map((_, index) => (index * 2_654_435_761) >>> 24);
    desk.device.disk.write('film.mp4', bytes, {}, desk.app.vault.adapter);
    await desk.sync();
    let longest = 0;
    const { adapter } = phone.app.vault;
    const append = adapter.appendBinary.bind(adapter);
    adapter.appendBinary = (path, data, times) => {
      longest = Math.max(longest, data.byteLength);
      return append(path, data, times);
    };
    assert.equal((await phone.sync()).kind, 'in step');
    assert.ok(longest > 0 && longest <= 2 * MB, `${longest}`);
    assert.deepEqual(Buffer.from(phone.device.disk.get('film.mp4')?.bytes ?? []).equals(Buffer.from(bytes)), true);
    assert.equal((await phone.sync()).done, 0);
  });

  it('P2: a long file goes in slices, and goes on where it was when the app was ended', async () => {
    await using at = await startedWith('slices');
    let slices = 0;
    const phone = new PluginDevice(
      at.vault,
      { platform: 'android' },
      {
        http: async (url, request) => {
          if (request.method === 'PATCH' && ++slices === 2) phone.app.kill();
          if (phone.app.isDead) return new Promise(() => undefined);
          phone.requests.push(`${request.method} ${url.pathname.replace(/^\/api/, '').replace(/[0-9a-f-]{36}/, 'id')}`);
          return fetch(url, request);
        },
      },
    );
    phone.device.disk.write('film.mp4', new Uint8Array(9 * MB).fill(7), {}, phone.app.vault.adapter);
    void phone.sync();
    await until(() => phone.app.isDead, 'the second slice');
    phone.restart();
    await phone.sync();
    assert.deepEqual(await at.vault.paths(), ['film.mp4']);
    const sent = phone.requests.filter((request) => !request.startsWith('GET /sync') && !request.includes('/folders'));
    assert.deepEqual(sent, ['GET /uploads/id', 'PATCH /uploads/id', 'PATCH /uploads/id', 'GET /uploads/id']);
  });

  it('P3: wrong sizes and writes that do nothing upload no empty file and cause no conflict', async () => {
    await using at = await startedWith('sizes');
    const phone = new PluginDevice(at.vault, { platform: 'android', sizeZeroIn: 10, emptyCreateIn: 20, seed: 7 });
    for (let count = 0; count < 60; count++) await at.vault.write(`n${count}.md`, `note ${count}\n`);
    await phone.sync();
    for (let count = 0; count < 60; count += 3) await phone.write(`n${count}.md`, `note ${count}\nedited\n`);
    await phone.sync();
    phone.restart();
    await phone.sync();
    for (let count = 0; count < 60; count++) {
      const text = `note ${count}\n${count % 3 === 0 ? 'edited\n' : ''}`;
      assert.equal(phone.text(`n${count}.md`), text);
      assert.equal(await at.vault.textOf(`n${count}.md`), text);
    }
    assert.equal(phone.paths.length, 60);
  });

  it('P4, C4: a device with cleared storage recognises the vault, pulls first, and deletes nothing', async () => {
    await using at = await startedWith('purged');
    const phone = new PluginDevice(at.vault, { platform: 'ios' });
    for (let count = 0; count < 30; count++) await at.vault.write(`n${count}.md`, `note ${count}\n`);
    await phone.sync();
    for (let count = 0; count < 5; count++) await at.vault.remove(`n${count}.md`);
    phone.app.kill();
    phone.device.purgeStorage();
    phone.indexedDb = new IDBFactory();
    phone.restart();
    await phone.open(async (sync) => {
      assert.ok(sync.isNew);
      const seen = await sync.preview();
      assert.deepEqual([seen.equal, seen.sent, seen.fetched, seen.deletedHere, seen.deletedThere], [25, 5, 0, 0, 0]);
      // Nothing was done by looking.
      assert.equal((await at.vault.paths()).length, 25);
      // A person chooses that the server leads: what only this device has is kept apart.
      assert.equal((await sync.decide('follow-server')).kind, 'in step');
      assert.deepEqual((await sync.disk.kept.list()).map(({ path }) => path).sort(), [
        'n0.md',
        'n1.md',
        'n2.md',
        'n3.md',
        'n4.md',
      ]);
    });
    assert.equal(phone.requests.filter((request) => request.startsWith('POST')).length, 0);
    assert.equal(phone.paths.length, 25);
    assert.equal((await at.vault.paths()).length, 25);
  });

  it('P6: of 50 files deleted on the server while the app was closed, only the one edited here stays', async () => {
    await using at = await startedWith('deleted');
    const phone = new PluginDevice(at.vault, { platform: 'android' });
    for (let count = 0; count < 60; count++) await at.vault.write(`n${count}.md`, `note ${count}\n`);
    await phone.sync();
    phone.app.kill();
    for (let count = 0; count < 50; count++) await at.vault.remove(`n${count}.md`);
    phone.restart();
    await phone.write('n7.md', 'note 7\nedited\n');
    await phone.open(async (sync) => {
      const held = await sync.once();
      assert.equal(held.kind, 'waiting');
      assert.deepEqual(
        held.brakes.map(({ side, kind }) => [side, kind]),
        [['local', 'deletions']],
      );
      assert.equal((await sync.decide('approve')).kind, 'in step');
      assert.ok(sync.activity.all.some(({ path, direction }) => path === 'n7.md' && direction === 'up'));
    });
    assert.deepEqual(phone.paths, await at.vault.paths());
    assert.equal(phone.paths.length, 11);
    assert.equal(await at.vault.textOf('n7.md'), 'note 7\nedited\n');
    phone.restart();
    assert.equal((await phone.sync()).done, 0);
  });

  it('keeps a copy of each deleted file, unless the server’s trash has the same content', async () => {
    await using at = await startedWith('trash');
    const phone = new PluginDevice(at.vault, { platform: 'android' });
    for (const name of ['in the trash', 'purged', 'edited and deleted'])
      await at.vault.write(`${name}.md`, `${name}\n`);
    await phone.sync();
    await at.vault.write('edited and deleted.md', 'other bytes\n');
    const purged = (await at.vault.idOf('purged.md')) ?? assert.fail('no note');
    for (const path of await at.vault.paths()) await at.vault.remove(path);
    await at.vault.purge(purged);
    await phone.open(async (sync) => {
      assert.equal((await sync.once()).kind, 'in step');
      const copies = (await sync.disk.kept.list()).map(({ path }) => path).sort();
      assert.deepEqual(copies, ['edited and deleted.md', 'purged.md']);
    });
    assert.deepEqual(phone.paths, []);
  });

  it('P7, C2: a note that is made in a folder amid late events leaves the folder all its files', async () => {
    await using at = await startedWith('new');
    const phone = new PluginDevice(at.vault, { platform: 'android', lateEventMs: 500, lostEventIn: 3 });
    for (let count = 0; count < 20; count++) await at.vault.write(`folder/n${count}.md`, `note ${count}\n`);
    await phone.sync();
    phone.restart();
    await phone.app.vault.create('folder/Untitled.md', '');
    // Another program writes beside the app, which does not notice.
    phone.device.disk.write('folder/outside.md', 'outside\n');
    await phone.sync();
    await phone.open((sync) => sync.decide('check'));
    assert.deepEqual(phone.paths, await at.vault.paths());
    assert.equal(phone.paths.length, 22);
  });

  it('P8: a note renamed in the app, on the server, on both, or only in case keeps its id and one name', async () => {
    await using at = await startedWith('renames');
    const phone = new PluginDevice(at.vault, { platform: 'ios' });
    for (const name of ['here', 'there', 'both', 'case']) await at.vault.write(`${name}.md`, `${name}\n`);
    for (let count = 0; count < 10; count++)
      await at.vault.write(`links/l${count}.md`, '[[here]] [[there]] [[both]]\n');
    await phone.sync();
    const ids = await Promise.all(['here', 'there', 'both', 'case'].map((name) => at.vault.idOf(`${name}.md`)));
    await phone.open(async (sync) => {
      await phone.app.fileManager.renameFile(phone.file('here.md') as never, 'here new.md');
      await at.vault.rename('there.md', 'there new.md');
      await phone.app.fileManager.renameFile(phone.file('both.md') as never, 'both app.md');
      await at.vault.rename('both.md', 'both server.md');
      await phone.app.vault.rename(phone.file('case.md'), 'Case.md');
      await sync.once();
    });
    await phone.sync();
    assert.deepEqual(phone.paths, await at.vault.paths());
    const both = phone.paths.find((path) => path.startsWith('both ')) ?? '';
    const names = ['here new.md', 'there new.md', both, 'Case.md'];
    assert.deepEqual(await Promise.all(names.map((name) => at.vault.idOf(name))), ids);
    const text = phone.text('links/l3.md') ?? '';
    assert.equal(text, await at.vault.textOf('links/l3.md'));
    for (const link of ['[[here new]]', '[[there new]]']) assert.equal(text.split(link).length, 2, text);
  });

  it('P8, C9: a file moved out of the synced part stays on the server, and one moved in is uploaded', async () => {
    await using at = await startedWith('border');
    const phone = new PluginDevice(at.vault, {}, { exclusions: 'private/\n*.log' });
    await phone.write('a.md', 'a\n');
    await phone.write('private/b.md', 'b\n');
    await phone.write('c.log', 'c\n');
    await phone.sync();
    assert.deepEqual(await at.vault.paths(), ['a.md']);
    await phone.app.vault.rename(phone.file('a.md'), 'private/a.md');
    await phone.app.vault.rename(phone.file('private/b.md'), 'b.md');
    await phone.sync();
    assert.deepEqual(await at.vault.paths(), ['b.md']);
    assert.deepEqual(phone.paths, ['b.md', 'c.log', 'private/a.md']);
  });

  it('P9: writes of the properties panel and other plugins are synced, and later ones of programs noticed', async () => {
    await using at = await startedWith('plugins');
    const phone = new PluginDevice(at.vault);
    await phone.write('a.md', '---\nk: 1\n---\nbody\n');
    await phone.sync();
    await phone.open(async (sync) => {
      const file = phone.file('a.md');
      await at.vault.write('a.md', '---\nk: 1\n---\nbody\nfrom the server\n');
      await Promise.all([
        sync.once(),
        phone.app.fileManager.processFrontMatter(file, (properties) => {
          properties.l = 2;
        }),
        phone.app.vault.process(file, (text) => `${text}from a plugin\n`),
      ]);
      await sync.once();
      const text = phone.text('a.md') ?? '';
      for (const part of ['k: 1\nl: 2\n', 'from the server\n', 'from a plugin\n'])
        assert.equal(text.split(part).length, 2, text);
      assert.equal(await at.vault.textOf('a.md'), text);
      phone.device.disk.write('a.md', `${text}from outside\n`);
      await sync.once();
      assert.equal(await at.vault.textOf('a.md'), `${text}from outside\n`);
    });
  });

  it('C3: an edit on the phone and one on the server while the phone was away are both in the note', async () => {
    await using at = await startedWith('conflict');
    const phone = new PluginDevice(at.vault, { platform: 'ios' });
    await at.vault.write('a.md', 'first\nmiddle\nlast\n');
    await phone.sync();
    await phone.write('a.md', 'first here\nmiddle\nlast\n');
    await at.vault.write('a.md', 'first\nmiddle\nlast there\n');
    await phone.sync();
    assert.equal(phone.text('a.md'), 'first here\nmiddle\nlast there\n');
    assert.equal(await at.vault.textOf('a.md'), phone.text('a.md'));
  });

  it('C6: after each rename and deletion a local change is uploaded, woken by nothing but the change', async () => {
    await using at = await startedWith('awake');
    const clock = new RestingClock();
    const socket = () => assert.fail('no socket here');
    const desk = new PluginDevice(at.vault, {}, { clock, socket });
    const paths = async (expected: string) => {
      await until(async () => `${await at.vault.paths()}` === expected, expected);
      await until(() => clock.isResting, 'the end of the run');
    };
    await desk.open(async (sync) => {
      sync.start();
      await paths('');
      await desk.write('a.md', 'one\n');
      await paths('a.md');
      await desk.app.vault.rename(desk.file('a.md'), 'b.md');
      await paths('b.md');
      await desk.write('c.md', 'two\n');
      await paths('b.md,c.md');
      await desk.app.vault.delete(desk.file('b.md'));
      await paths('c.md');
      await desk.write('c.md', 'three\n');
      await until(async () => (await at.vault.textOf('c.md')) === 'three\n', 'the text');
    }, true);
  });

  it('C7: a settings file of the app that changes with each click is never synced and blocks nothing', async () => {
    await using at = await startedWith('settings');
    const phone = new PluginDevice(at.vault, { platform: 'ios' }, { settings: ['app', 'hotkeys'] });
    const { adapter } = phone.app.vault;
    await adapter.mkdir('.obsidian');
    for (const name of ['workspace.json', 'workspace-mobile.json', 'app.json', 'appearance.json'])
      await adapter.write(`.obsidian/${name}`, '{}');
    await phone.write('a.md', 'a\n');
    assert.equal((await phone.sync()).kind, 'in step');
    assert.deepEqual(await at.vault.paths(), ['.obsidian/app.json', 'a.md']);
  });

  it('C9: a device that was away for long does not bring back what was purged', async () => {
    await using at = await startedWith('purge');
    const phone = new PluginDevice(at.vault);
    for (const name of ['a', 'b', 'c']) await at.vault.write(`${name}.md`, `${name}\n`);
    await phone.sync();
    const { server, vaultId, key } = at.vault;
    const headers = { 'x-vault-id': vaultId };
    await at.vault.remove('b.md');
    const { items } = (await server.bearer(key).get('/trash', headers)).body;
    await server.bearer(key).delete(`/trash/${items[0].id}`, headers);
    phone.restart();
    await phone.sync();
    assert.deepEqual(phone.paths, ['a.md', 'c.md']);
    assert.deepEqual(await at.vault.paths(), ['a.md', 'c.md']);
  });

  it('C10: checking everything reads every file again, finds an edit that kept size and time, and ends', async () => {
    await using at = await startedWith('check');
    const phone = new PluginDevice(at.vault);
    await phone.write('a.md', 'one\n');
    await phone.sync();
    const { mtime = 0 } = phone.device.disk.get('a.md') ?? {};
    phone.device.faults = { ...phone.device.faults, lostEventIn: 1 };
    phone.device.disk.write('a.md', 'two\n', { mtime });
    assert.equal((await phone.sync()).done, 0);
    assert.equal((await phone.open((sync) => sync.decide('check'))).kind, 'in step');
    assert.equal(await at.vault.textOf('a.md'), 'two\n');
  });

  it('a note with text in an editor that is not saved yet is not replaced before it is', async () => {
    await using at = await startedWith('held');
    const phone = new PluginDevice(at.vault);
    await at.vault.write('a.md', 'one\n');
    await phone.sync();
    await at.vault.write('a.md', 'one\ntwo\n');
    const { result } = await phone.open(async (sync) => {
      const { FileView } = await import('obsidian');
      const view = Object.assign(Object.create(FileView.prototype), {
        ...{ file: phone.file('a.md'), data: 'one\n', getViewData: () => 'one\ntyped\n' },
        getViewType: () => 'markdown',
      });
      phone.app.workspace.getLeaf(true).view = view;
      return { result: await sync.once() };
    });
    assert.match(result.unsynced[0]?.reason ?? '', /is being edited/);
    assert.equal(phone.text('a.md'), 'one\n');
  });

  it('a kill in the middle of a write leaves no emptiness, at the next start or on the server', async () => {
    await using at = await startedWith('killed');
    const phone = new PluginDevice(at.vault, { platform: 'android' });
    await at.vault.write('a.md', 'one\n');
    await phone.sync();
    await at.vault.write('a.md', 'one\ntwo\n');
    const { vault } = phone.app;
    vault.process = async () => {
      // The file is emptied first, and then nothing more happens.
      phone.device.disk.write('a.md', '', {}, vault.adapter);
      phone.app.kill();
      return new Promise<string>(() => undefined);
    };
    void phone.open((sync) => sync.once()).catch(() => undefined);
    await until(() => phone.app.isDead);
    phone.restart();
    await phone.sync();
    assert.equal(phone.text('a.md'), 'one\ntwo\n');
    assert.equal(await at.vault.textOf('a.md'), 'one\ntwo\n');
  });
});
