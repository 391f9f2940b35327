import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { startNginx, whyNoProgram } from '../../../../server/test/kit/programs/proxies.ts';
import type { TestServer, TestServerOptions } from '../../../../server/test/kit/server.ts';
import { tokenOf } from '../../../../server/test/kit/shared-vault.ts';
import { until } from '../../../../server/test/kit/until.ts';
import type { DeviceBrowser, DevicePage } from '../browser.ts';

type Home = DevicePage<'plugin'>;

const PATH = 'note.md';
const FILE = 'list.txt';
const noNginx = whyNoProgram('nginx', '-v');
if (noNginx !== false) process.stderr.write(`NOT TESTED BEHIND A PROXY: ${noNginx}\n`);
const textOf = ({ run }: Home) => run((device, path) => device.disk(path), PATH);
const shownOf = ({ run }: Home) => run((device) => device.text(0));

/** Live notes in the plugin as the app loads it, with its own engine. */
export function wholeTests(
  started: (
    config: TestServerOptions['config'],
  ) => Promise<{ readonly devices: DeviceBrowser; readonly server: TestServer }>,
): void {
  /**
   * Returns a vault of alice with a note, and devices on which somebody has it open.
   *
   * @param below path of the server's public URL, which devices then reach through nginx; null without a proxy.
   */
  async function vaultWith(text: string, below: '/notes' | null = null) {
    const publicUrl = `https://example.org${below}`;
    const { devices, server } = await started(below === null ? {} : { publicUrl, trustProxy: ['127.0.0.1'] });
    const proxy = below === null ? null : await startNginx(server.url, (settings) => settings, below);
    const { alice, bob } = server;
    const vault = (await alice.post('/vaults', { name: `vault ${Math.random()}` })).body.vault.id as string;
    const headers = { 'x-vault-id': vault };
    await alice.post('/notes', { path: PATH, content: text, mtime: 1 }, headers);
    const homes: Home[] = [];
    const home = async (who: 'alice' | 'bob' = 'alice') => {
      const { accessToken } = await server[who].signed();
      const opened = await devices.openPlugin({
        server: (proxy ?? server).url,
        token: accessToken,
        vault,
        saveMs: 200,
      });
      homes.push(opened);
      await until(async () => (await textOf(opened)) !== null, 'the first sync');
      await opened.run((device, path) => device.open(path), PATH);
      return opened;
    };
    return {
      home,
      stored: async () => (await alice.get(`/notes/${PATH}`, headers)).body.content as string,
      append: (content: string) => alice.post('/notes/append', { path: PATH, text: content }, headers),
      /** Lets bob into the vault; resolves to what changes his role. */
      async join(role: 'viewer' | 'editor') {
        const { url } = (await alice.post(`/vaults/${vault}/invitations`, { role })).body;
        assert.equal((await bob.post(`/invitations/${tokenOf(url)}/accept`)).status, 200);
        const { id } = await bob.signed();
        return (now: 'viewer' | 'editor') => alice.patch(`/vaults/${vault}/members/${id}`, { role: now });
      },
      async [Symbol.asyncDispose]() {
        for (const one of homes) await one[Symbol.asyncDispose]();
        await proxy?.[Symbol.asyncDispose]();
        await server[Symbol.asyncDispose]();
      },
    };
  }

  const live = ({ run }: Home) => until(async () => (await run((device) => device.bound)) === 1, 'a live note');

  describe('the whole plugin', () => {
    for (const [where, below, skip] of [
      ['', null, false],
      [', below a path', '/notes', noNginx],
    ] as const) {
      test(`edits a note live with another device, and the engine goes on with it once closed${where}`, {
        skip,
      }, async () => {
        await using at = await vaultWith('first\n', below);
        const [here, there] = [await at.home(), await at.home()];
        for (const home of [here, there]) await live(home);
        await here.run((device) => device.type(0, 'from here\n'));
        await there.run((device) => device.type(0, 'from there\n', 0));
        const text = 'from there\nfirst\nfrom here\n';
        for (const home of [here, there]) {
          await until(async () => (await shownOf(home)) === text, 'the letters of both');
          await until(async () => (await textOf(home)) === text, 'the file');
        }
        assert.equal(await at.stored(), text);
        await here.run((device) => device.close(0));
        await at.append('by an assistant\n');
        const whole = `${text}by an assistant\n`;
        for (const home of [here, there]) await until(async () => (await textOf(home)) === whole, 'the last line');
        await here.run((device, path) => device.open(path), PATH);
        await live(here);
        await here.run((device) => device.type(0, 'again\n'));
        await until(async () => (await shownOf(there)) === `${whole}again\n`, 'the letters of the second time');
        await here.run(({ app }, path) => app.vault.create(path, 'a file\n'), FILE);
        const fileOf = () => there.run((device, path) => device.disk(path), FILE);
        await until(async () => (await fileOf()) === 'a file\n', 'the file of the other device');
        for (const home of [here, there]) {
          assert.deepEqual(await home.run(({ paths }) => paths.toSorted()), [FILE, PATH]);
          assert.deepEqual(home.complaints, []);
        }
      });
    }

    test('sends what was typed offline once when the app was killed before, and once when it was hidden', async () => {
      await using at = await vaultWith('first\n');
      const home = await at.home();
      await live(home);
      await home.run((device) => device.cut());
      await home.run((device) => device.type(0, 'killed\n'));
      await until(async () => (await textOf(home))?.includes('killed') === true, 'the file');
      await home.kill();
      await until(async () => (await at.stored()).includes('killed'), 'the letters');
      await home.run((device, path) => device.open(path), PATH);
      await live(home);
      await home.run((device) => device.type(0, 'hidden\n'));
      await home.run((device) => device.hide());
      assert.equal(await at.stored(), 'first\nkilled\nhidden\n');
      await home.run((device) => device.show());
      await live(home);
      await at.append('by an assistant\n');
      const text = 'first\nkilled\nhidden\nby an assistant\n';
      await until(async () => (await textOf(home))?.includes('assistant') === true, 'the last line');
      assert.deepEqual([await at.stored(), await textOf(home)], [text, text]);
    });

    test('sends nothing of a person who may only read, and keeps what they typed beside the note', async () => {
      await using at = await vaultWith('first\n');
      const change = await at.join('editor');
      const [owner, member] = [await at.home(), await at.home('bob')];
      for (const home of [owner, member]) await live(home);
      await member.run((device) => device.type(0, 'as an editor\n'));
      await until(async () => (await at.stored()).includes('as an editor'), 'the line');
      assert.equal((await change('viewer')).status, 200);
      await until(async () => (await member.run((device) => device.bound)) === 0, 'the end of the live note');
      await member.run((device) => device.type(0, 'as a viewer\n'));
      await owner.run((device) => device.type(0, 'of the owner\n', 0));
      const text = 'of the owner\nfirst\nas an editor\n';
      await until(async () => (await at.stored()) === text, 'the line of the owner');
      // The app saves what was typed seconds later, and the note may have the owner's text before that.
      await until(async () => {
        const beside = (await member.run(({ paths }) => paths)).filter((path) => path !== PATH);
        const texts = await member.run((device, paths) => paths.map((path) => device.disk(path)), beside);
        return texts.join().includes('as a viewer');
      }, 'what was typed, beside the note');
      await until(async () => (await textOf(member)) === text, 'the note as the owner has it');
      assert.equal(await at.stored(), text);
      assert.deepEqual(await owner.run(({ paths }) => paths), [PATH]);
    });
  });
}
