import assert from 'node:assert/strict';
import { it } from 'node:test';
import { onSqlite } from '../../../../server/test/kit/engines.ts';
import { startServer, type TestServer } from '../../../../server/test/kit/server.ts';
import { until } from '../../../../server/test/kit/until.ts';
import { en } from '../../src/texts/en.ts';
import { type Menu, type Modal, settingsIn, shown } from '../stand-in/components.ts';
import { button, connect, control, type Home, synced, testHomes, textOf, topModal } from './home.ts';

const CODE = /[A-Z0-9]{4}-[A-Z0-9]{4}/;

onSqlite('the plugin, where a connection fails, ends or is replaced', (open) => {
  const homeOf = testHomes();

  /** Asks for a code in the dialog that is open, and resolves to it. */
  async function codeIn(dialog: Modal, server: TestServer): Promise<string> {
    const [address, go] = settingsIn(dialog.contentEl);
    await address?.components[0]?.change(server.url);
    void control(go, en.connect).click();
    await until(() => CODE.test(textOf(dialog)), 'the code');
    return CODE.exec(textOf(dialog))?.[0] ?? '';
  }

  /** Approves a link to another vault; resolves to the vault once the plugin asks whether it replaces the present one. */
  async function linkOther(home: Home, server: TestServer): Promise<string> {
    home.command('connect');
    const user_code = await codeIn(topModal(), server);
    const { body } = await server.alice.post('/auth/device/authorize', { user_code, vault_id: 'new' });
    await until(() => settingsIn(topModal().contentEl).some(({ components }) => components[0]?.text === en.replace));
    return body.vault_id as string;
  }

  const devices = async (server: TestServer) => (await server.alice.get('/connections')).body.length as number;

  const press = (home: Home): Menu => {
    shown.menu = null;
    home.standIn.ribbonIcons[0]?.click({});
    return (shown.menu as Menu | null) ?? assert.fail('no menu is shown');
  };

  it('a code that expired or was refused is said in the dialog, which gives another one', async () => {
    await using server = await startServer({ open });
    const home = await homeOf();
    home.onPoll = () => server.clock.advance({ ms: 6000 });
    home.command('connect');
    const dialog = topModal();
    for (const [error, said] of [
      ['expired_or_invalid', en.codeExpired],
      ['access_denied', en.codeRefused],
    ] as const) {
      await codeIn(dialog, server);
      home.answers.set('/api/auth/device/token', Response.json({ error }, { status: 400 }));
      await until(() => textOf(dialog).includes(said), said);
      assert.doesNotMatch(textOf(dialog), CODE);
      home.answers.clear();
    }
    const user_code = await codeIn(dialog, server);
    await server.alice.post('/auth/device/authorize', { user_code, vault_id: 'new' });
    await until(() => home.phase === 'asks', 'the connection');
  });

  for (const [what, end] of [
    ['whose vault was deleted', (server: TestServer, vault: string) => server.alice.delete(`/vaults/${vault}`)],
    [
      'whose device was removed',
      async (server: TestServer) => {
        const [device] = (await server.alice.get('/connections')).body;
        return server.alice.delete(`/connections/device/${device.client_id}`);
      },
    ],
  ] as const) {
    it(`a sync ${what} says so once on a phone, and can be connected again`, async () => {
      await using server = await startServer({ open });
      const home = await homeOf({ platform: 'android' });
      await home.write('a.md', 'one\n');
      const vault = await synced(home, server);
      const notices = () => shown.notices.filter(({ message }) => message.startsWith(`Notevault: ${en.stateStopped}`));
      const before = notices().length;
      assert.ok((await end(server, vault)).status < 300);
      home.command('check-everything');
      await until(() => home.phase === 'stopped', 'the end of the sync');
      await until(() => notices().length > before, 'the notice');
      assert.match(notices().at(-1)?.message ?? '', /Stopped: ./);
      const acts = press(home).items.filter(({ isLabel }) => !isLabel);
      const titles = acts.map(({ title }) => title);
      assert.ok(titles.includes(en.tryAgain) && titles.includes(en.connect), `${titles}`);
      assert.equal(notices().length, before + 1);
      acts.find(({ title }) => title === en.connect)?.click();
      assert.equal(topModal().titleEl.textContent, en.connect);
      const user_code = await codeIn(topModal(), server);
      await server.alice.post('/auth/device/authorize', { user_code, vault_id: 'new' });
      await until(() => textOf(topModal()).includes(en.replaceAsk.split('{', 1).join('')), 'the question');
      await button(topModal(), en.replace).click();
      await until(() => home.phase === 'asks', 'the new vault');
      assert.equal(home.device.disk.text('a.md'), 'one\n');
    });
  }

  it('connecting to another vault asks first: cancelling changes nothing, confirming previews the sync', async () => {
    await using server = await startServer({ open });
    const home = await homeOf();
    await home.write('a.md', 'one\n');
    const first = await synced(home, server);
    await linkOther(home, server);
    await button(topModal(), en.cancel).click();
    await until(async () => (await devices(server)) === 1, 'the end of the other link');
    assert.deepEqual([home.phase, home.plugin.controller.connection?.vaultId], ['runs', first]);
    const second = await linkOther(home, server);
    await button(topModal(), en.replace).click();
    await until(() => home.phase === 'asks', 'the other vault');
    assert.equal(home.plugin.controller.connection?.vaultId, second);
    await until(async () => (await devices(server)) === 1, 'the end of the first link');
    await until(() => textOf(topModal()).includes('Upload: 1'), 'the figures');
    await button(topModal(), en.go).click();
    const headers = { 'x-vault-id': second };
    await until(async () => (await server.alice.get('/notes/a.md', headers)).status === 200, 'the note');
  });

  it('a vault whose files were synced with another one says so at the start, and connects', async () => {
    await using server = await startServer({ open });
    const home = await homeOf();
    await synced(home, server);
    const marker = JSON.stringify({ vault_id: crypto.randomUUID(), folder_id: 'f' });
    home.device.disk.write('.notevault/folder.json', marker);
    await home.restart();
    assert.equal(home.phase, 'other vault');
    await until(() => shown.notices.at(-1)?.message === en.otherVault, 'the notice');
    home.command('status');
    assert.ok(button(topModal(), en.connect));
  });

  it('a server below a path of its host is connected and synced there', async () => {
    await using server = await startServer({ open, config: { publicUrl: 'https://example.org/my/notes' } });
    const home = await homeOf();
    const paths: string[] = [];
    home.gate = async ({ pathname }) => void paths.push(pathname);
    await home.write('a.md', 'one\n');
    const vaultId = await synced(home, server, `${server.url}/my/notes/`);
    assert.equal((await server.alice.get('/notes/a.md', { 'x-vault-id': vaultId })).body.content, 'one\n');
    assert.deepEqual(
      paths.filter((path) => !path.startsWith('/my/notes/api/')),
      [],
    );
  });

  it('the number of things that need a person leads to their list', async () => {
    await using server = await startServer({ open });
    const home = await homeOf({ platform: 'ios' });
    await home.write('a.md', 'one\n');
    const vaultId = await connect(home, server);
    await server.alice.post('/notes', { path: 'a.md', content: 'other\n', mtime: 1 }, { 'x-vault-id': vaultId });
    await until(() => textOf(topModal()).includes('Keep both versions: '), 'the figures');
    await button(topModal(), en.go).click();
    const { controller } = home.plugin;
    await until(() => controller.facts.status.conflicts.length === 1, 'the conflict copy');
    const [path = ''] = controller.facts.status.conflicts;
    press(home)
      .items.find(({ title, isLabel }) => !isLabel && title === en.factNeeds.replace('{count}', '1'))
      ?.click();
    assert.ok(textOf(topModal()).includes(en.needsConflict.replace('{path}', path)), textOf(topModal()));
    await button(topModal(), en.kept).click();
    assert.equal(topModal().titleEl.textContent, en.kept);
  });

  it('the largest file on phones is a number or nothing, and everything else is refused', async () => {
    await using server = await startServer({ open });
    const home = await homeOf();
    await synced(home, server);
    const { sync } = home.plugin.controller;
    const [tab] = home.standIn.settingTabs;
    tab?.display();
    const row = settingsIn(tab?.containerEl ?? assert.fail('no settings')).find(
      ({ nameEl }) => nameEl.textContent === en.setLimit,
    );
    const stored = () =>
      JSON.parse(home.device.disk.text('.obsidian/plugins/notevault/data.json') ?? '{}').phoneMegabytes as unknown;
    for (const [typed, limit, said] of [
      ['50', 50, en.setLimitHint],
      ['abc', 50, en.setLimitWrong],
      ['-1', 50, en.setLimitWrong],
      ['0', 50, en.setLimitWrong],
      ['', null, en.setLimitHint],
      ['2.5', 2.5, en.setLimitHint],
    ] as const) {
      await row?.components[0]?.change(typed);
      assert.deepEqual([stored(), row?.descEl.textContent], [limit, said], typed);
    }
    await until(() => home.plugin.controller.sync !== sync && home.phase === 'runs', 'the sync with the new limit');
  });
});
