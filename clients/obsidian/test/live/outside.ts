import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { until } from '../../../../server/test/kit/until.ts';
import type { DevicePage } from '../browser.ts';
import { connected, inStep, type Together } from './together.ts';

const TEXT = '---\nkind: note\n---\nA line with [[Old]].\n';

async function openedAgain(here: DevicePage): Promise<void> {
  await here.run((device) => device.open('note.md'));
  await connected(here);
}

/** Tests of changes to live notes from outside the editors, and of the app's end. */
export function outsideTests(note: (text: string) => Promise<Together>): void {
  describe('a live note that other plugins change', () => {
    test('P9: what another plugin and the properties write arrives while the note is live', async () => {
      await using both = await note(TEXT);
      const [here, there] = [await both.shown(), await both.shown()];
      await here.run((device) => device.type(0, 'typed\n'));
      await here.run(async (device) => {
        const file = device.app.vault.getFileByPath('note.md');
        if (file === null) throw new Error('no file');
        await device.app.fileManager.processFrontMatter(file, (properties) => {
          properties.state = 'new';
        });
        await device.process('note.md', (text) => `${text}by a plugin\n`);
      });
      const text = await inStep(both, here, there);
      assert.match(text, /^---\nkind: note\nstate: new\n---\n/);
      assert.equal(text.split('typed\n').length, 2);
      assert.equal(text.split('by a plugin\n').length, 2);
    });

    test('P9: a property that was set elsewhere, and is not in the file yet, stays when another one is set', async () => {
      await using both = await note(TEXT);
      const [here, there] = [await both.shown(), await both.shown()];
      const set = (device: typeof here, key: string) =>
        device.run(async (page, name) => {
          const file = page.app.vault.getFileByPath('note.md');
          if (file === null) throw new Error('no file');
          await page.app.fileManager.processFrontMatter(file, (properties) => {
            properties[name] = 'x';
          });
        }, key);
      await set(there, 'one');
      await until(async () => (await here.run((device) => device.text(0))).includes('one: x'), 'the property');
      await set(here, 'two');
      await until(async () => (await both.stored()).includes('two: x'), 'the other property');
      assert.match(await inStep(both, here, there), /one: x/);
    });

    test('P9: what they write offline is shown at once, and arrives later', async () => {
      await using both = await note(TEXT);
      const [here, there] = [await both.shown(), await both.shown()];
      await here.run((device) => device.cut());
      await here.run((device) => device.type(0, 'typed offline\n'));
      await here.run((device) => device.process('note.md', (text) => text.replace('kind: note', 'kind: other')));
      await until(async () => (await here.run((device) => device.text(0))).includes('kind: other'), 'the property');
      await there.run((device) => device.type(0, 'from there\n', device.text(0).indexOf('A line')));
      await here.run((device) => device.restore());
      const text = await inStep(both, here, there);
      for (const part of ['kind: other', 'typed offline\n', 'from there\n']) {
        assert.equal(text.split(part).length, 2, text);
      }
    });

    test('P9: after overlapping writes, which make the app deaf, changes from outside still arrive', async () => {
      await using both = await note(TEXT);
      const [here, there] = [await both.shown({ diskMs: 10, seed: 1 }), await both.shown()];
      const isDeaf = await here.run(async (device) => {
        const file = device.app.vault.getFileByPath('note.md');
        if (file === null) throw new Error('no file');
        for (let turn = 0; turn < 20 && !file.saving; turn++) {
          const text = device.disk('note.md') ?? '';
          await Promise.all([device.app.vault.modify(file, text), device.app.vault.process(file, (now) => `${now}!`)]);
        }
        return file.saving;
      });
      assert.equal(isDeaf, true);
      await inStep(both, here, there);
      await here.run((device) => {
        device.app.device.disk.write('note.md', `${device.disk('note.md')}from outside\n`);
      });
      await until(async () => (await there.run((device) => device.text(0))).includes('from outside\n'), 'the change');
      assert.equal((await inStep(both, here, there)).split('from outside').length, 2);
    });

    test('the app saves nothing over what a plugin wrote before the device keeps it', async () => {
      await using both = await note('first\n');
      const here = await both.shown({ saveMs: 100_000 });
      const disk = await here.run(async (device) => {
        const goOn = await device.blockCopies();
        device.type(0, 'typed\n');
        await device.process('note.md', (text) => `${text}by a plugin\n`);
        const saved = device.save();
        // As long as the app takes to save.
        const file = device.app.vault.getFileByPath('note.md');
        if (file !== null) for (let turn = 0; turn < 20; turn++) await device.app.vault.read(file);
        const now = device.disk('note.md');
        goOn();
        await saved;
        return now;
      });
      assert.equal(disk, 'first\nby a plugin\n');
      assert.deepEqual((await inStep(both, here)).split('\n').sort(), ['', 'by a plugin', 'first', 'typed']);
    });

    test('what a plugin wrote goes to the server only once the device keeps how it goes there', async () => {
      await using both = await note('first\n');
      const here = await both.shown();
      let isSent = false;
      await here.page.route('**/api/notes', (route) => {
        isSent = true;
        return route.continue();
      });
      const isRead = here.page.waitForResponse(/by-id/);
      await here.run(async (device) => {
        Object.assign(window, { goOn: await device.blockCopies() });
        await device.process('note.md', (text) => `${text}by a plugin\n`);
      });
      await isRead;
      // What was sent after that answer is sent before this one.
      await here.page.evaluate((url) => fetch(url), `${both.server.url}/api/health`);
      assert.equal(isSent, false);
      await here.page.evaluate(() => (window as unknown as { goOn(): void }).goOn());
      assert.equal(await inStep(both, here), 'first\nby a plugin\n');
      assert.equal(isSent, true);
    });

    test('the same rewriting of a link by plugins of two devices at once counts once', async () => {
      await using both = await note(TEXT);
      const devices = [await both.shown(), await both.shown()];
      await Promise.all(
        devices.map(({ run }) =>
          run((device) => device.process('note.md', (text) => text.replace('[[Old]]', '[[New]]'))),
        ),
      );
      assert.equal(await inStep(both, ...devices), TEXT.replace('[[Old]]', '[[New]]'));
    });

    test('what the app saves late after a reconnection is no deletion of what others wrote', async () => {
      await using both = await note('first\n');
      const [here, there] = [await both.shown({ saveMs: 200 }), await both.shown()];
      const saved = await here.run(async (device) => {
        device.cut();
        device.type(0, 'offline\n');
        await device.save();
        return device.disk('note.md') ?? '';
      });
      await there.run((device) => device.type(0, 'from there\n', 0));
      await here.run((device) => device.restore());
      await until(async () => (await here.run((device) => device.text(0))).includes('from there'), 'the text');
      // What was saved before comes back by the disk.
      await here.run((device, text) => device.view(0).setViewData(text, false), saved);
      await here.run((device, text) => {
        device.app.device.disk.write('note.md', text);
      }, saved);
      assert.equal(await inStep(both, here, there), 'from there\nfirst\noffline\n');
    });

    test('front matter that is no YAML, or has a key twice, stays text', async () => {
      await using both = await note('---\na: 1\n---\n');
      const [here, there] = [await both.shown(), await both.shown()];
      await here.run((device) => device.type(0, 'a: 2\n: [\n', 4));
      await there.run((device) => device.type(0, 'b: 3\n', 4));
      const text = await inStep(both, here, there);
      for (const line of ['a: 1\n', 'a: 2\n: [\n', 'b: 3\n']) assert.equal(text.split(line).length, 2, text);
    });

    test('a text that another plugin sets in the editor counts as its edit', async () => {
      await using both = await note('first\n');
      const [here, there] = [await both.shown(), await both.shown()];
      await here.run((device) => {
        device.view(0).setViewData('first, formatted\n', false);
        device.view(0).requestSave();
      });
      await until(async () => (await both.stored()).includes('formatted'), 'the text');
      assert.equal(await inStep(both, here, there), 'first, formatted\n');
    });
  });

  describe('P5: a live note whose app is killed', () => {
    for (const [when, isOnline, isSaved] of [
      ['after the device has the letters, before the server', false, false],
      ['after the file has them, before the server', false, true],
      ['after the server has them, before the file', true, false],
      ['after the server and the file have them', true, true],
    ] as const) {
      test(`has every letter once: ${when}`, async () => {
        await using both = await note('first\n');
        const [here, there] = [await both.shown(), await both.shown()];
        if (!isOnline) await here.run((device) => device.cut());
        await here.run((device) => device.type(0, 'typed\n'));
        if (isOnline) await until(async () => (await both.stored()).includes('typed\n'), 'the letters');
        await there.run((device) => device.type(0, 'from there\n', 0));
        if (isOnline)
          await until(async () => (await here.run((device) => device.text(0))).includes('there'), 'the others');
        if (isSaved) await here.run((device) => device.save());
        await here.run((device) => device.copies());
        await here.kill();
        await openedAgain(here);
        assert.equal(await inStep(both, here, there), 'from there\nfirst\ntyped\n');
      });
    }

    test('is sent at the next start without being opened', async () => {
      await using both = await note('first\n');
      const [here, there] = [await both.shown(), await both.shown()];
      await here.run((device) => device.cut());
      await here.run((device) => device.type(0, 'typed\n'));
      await here.run((device) => device.copies());
      await here.kill();
      await until(async () => (await there.run((device) => device.text(0))) === 'first\ntyped\n', 'the letters');
      assert.equal(await inStep(both, here, there), 'first\ntyped\n');
      await until(async () => (await here.run((device) => device.copies())).length === 0, 'the end of the copy');
    });

    test('has what only the file has, and a change of another plugin that the file has no longer', async () => {
      await using both = await note('first\n');
      const [here, there] = [await both.shown(), await both.shown()];
      let isSent = false;
      await here.page.route('**/api/notes', () => {
        isSent = true;
      });
      await here.run((device) => device.process('note.md', (text) => `${text}by a plugin\n`));
      await until(() => isSent, 'the write');
      await here.run((device) => device.copies());
      await here.run(async (device) => {
        device.cut();
        // What is typed from now on is not kept: the app ends before.
        const { prototype } = IDBObjectStore;
        prototype.add = prototype.put = () => ({}) as IDBRequest<IDBValidKey>;
        device.type(0, 'typed\n', 0);
        await device.save();
      });
      assert.equal(await here.run((device) => device.disk('note.md')), 'typed\nfirst\n');
      await here.page.unrouteAll({ behavior: 'ignoreErrors' });
      await here.kill();
      await openedAgain(here);
      assert.equal(await inStep(both, here, there), 'typed\nfirst\nby a plugin\n');
    });

    test('has a change of another plugin once that was just made an edit of the document', async () => {
      await using both = await note('-- -\nk\n---\n');
      const [here, there] = [await both.shown(), await both.shown()];
      await here.run(async (device) => {
        device.cut();
        const { add } = IDBObjectStore.prototype;
        IDBObjectStore.prototype.add = function (...given) {
          // The app ends once the edit is stored.
          IDBDatabase.prototype.transaction = () => Reflect.get({}, 'none') as never;
          return add.apply(this, given);
        };
        await device.process('note.md', (text) => `---\np: x\n---\n${text}`);
      });
      await until(
        async () => (await here.run((device) => device.text(0))) === '---\np: x\n---\n-- -\nk\n---\n',
        'the edit',
      );
      await there.run((device) => device.type(0, 'y', 4));
      await here.kill();
      await openedAgain(here);
      assert.equal(await inStep(both, here, there), '---\np: x\n---\n-- -y\nk\n---\n');
    });

    test('has a change of another plugin that was kept just before', async () => {
      await using both = await note('first\n');
      const [here, there] = [await both.shown(), await both.shown()];
      await here.run(async (device) => {
        device.cut();
        device.type(0, 'typed\n');
        await device.save();
        await device.copies();
        const { prototype } = IDBObjectStore;
        const { put } = prototype;
        const none = () => ({}) as IDBRequest<IDBValidKey>;
        // The app ends once the first thing is stored.
        prototype.add = none;
        prototype.put = function (...given) {
          prototype.put = none;
          return put.apply(this, given);
        };
        await device.process('note.md', (text) => `${text}by a plugin\n`);
      });
      await until(async () => (await here.run((device) => device.text(0))).includes('by a plugin'), 'the edit');
      await here.kill();
      await there.run((device) => device.type(0, 'from there\n', 0));
      await openedAgain(here);
      assert.equal(await inStep(both, here, there), 'from there\nfirst\ntyped\nby a plugin\n');
    });

    test('has letters that only the device kept, when the file changes twice after the next start', async () => {
      await using both = await note('first\n');
      const here = await both.shown({ saveMs: 100_000 });
      await here.run(async (device) => {
        device.type(0, 'x');
        await device.copies();
      });
      await here.kill();
      await openedAgain(here);
      await here.run(async (device) => {
        await device.process('note.md', (text) => `${text}by a plugin\n`);
        await device.process('note.md', () => 'first!\n');
      });
      assert.match(await inStep(both, here), /^first!\n.*x/s);
    });

    test('has a change of another plugin once that was being sent', async () => {
      await using both = await note('first\n');
      const [here, there] = [await both.shown(), await both.shown()];
      let isSent = false;
      await here.page.route('**/api/notes', () => {
        // Nobody answers.
        isSent = true;
      });
      await here.run((device) => device.process('note.md', (text) => `${text}by a plugin\n`));
      await until(() => isSent, 'the write');
      await here.run((device) => device.save());
      await here.run((device) => device.copies());
      // What is held goes on to the server when the route ends, unless its page has ended before.
      await here.kill();
      await here.page.unrouteAll({ behavior: 'ignoreErrors' });
      await there.run((device) => device.type(0, 'from there\n', 0));
      await openedAgain(here);
      assert.equal(await inStep(both, here, there), 'from there\nfirst\nby a plugin\n');
    });
  });
}
