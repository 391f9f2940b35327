import assert from 'node:assert/strict';
import { it } from 'node:test';
import { builtinPlans } from '../../../../server/src/domains/foundation/plans/plans.ts';
import { FlakySocket } from '../../../../server/test/kit/clients/provider-clients.ts';
import { onSqlite } from '../../../../server/test/kit/engines.ts';
import { startServer } from '../../../../server/test/kit/server.ts';
import { until } from '../../../../server/test/kit/until.ts';
import { HistoryModal } from '../../src/shell/history-modal.ts';
import { KeptModal } from '../../src/shell/kept-modal.ts';
import { en } from '../../src/texts/en.ts';
import { reason } from '../../src/texts/reasons/en.ts';
import { type Menu, type Modal, type SuggestModal, settingsIn, shown } from '../stand-in/components.ts';
import { button, connect, control, synced, testHomes, textOf, topModal } from './home.ts';

onSqlite('the plugin in the app', (open) => {
  const homeOf = testHomes();

  it('connects by the server’s page, previews the first sync, and waits for confirmation', async () => {
    await using server = await startServer({ open });
    const home = await homeOf();
    await home.write('a.md', 'one\n');
    const vaultId = await connect(home, server);
    const headers = { 'x-vault-id': vaultId };
    const [{ name }] = (await server.alice.get('/connections')).body;
    assert.match(name, /^Obsidian \(/, 'a list of connections says what it is');
    await until(() => textOf(topModal()).includes('Upload: 1'), 'the figures');
    assert.deepEqual((await server.alice.get('/sync/manifest', headers)).body.notes, []);
    await button(topModal(), en.go).click();
    await until(async () => (await server.alice.get('/notes/a.md', headers)).status === 200, 'the note');
    assert.equal(home.phase, 'runs');
    await server.alice.post('/notes', { path: 'b.md', content: 'two\n', mtime: 1 }, headers);
    await until(() => home.device.disk.get('b.md') !== undefined, 'the note of the server');
    await until(() => home.plugin.controller.sync?.activity.all.some(({ path }) => path === 'b.md') === true);
    assert.match(home.standIn.statusBarItems[0]?.textContent ?? '', /^Notevault: /);
  });

  it('C8: data.json has no secrets; without it the plugin is signed out, and the vault stays', async () => {
    await using server = await startServer({ open });
    const home = await homeOf();
    await home.write('a.md', 'one\n');
    const vaultId = await connect(home, server);
    await until(() => textOf(topModal()).includes('Upload: 1'));
    await button(topModal(), en.go).click();
    const headers = { 'x-vault-id': vaultId };
    await until(async () => (await server.alice.get('/notes/a.md', headers)).status === 200);
    await until(() => home.plugin.controller.sync?.status.state === 'in step');
    const secrets = [...home.device.secrets.values()].join();
    assert.match(secrets, /access_token/);
    const data = home.device.disk.text('.obsidian/plugins/notevault/data.json') ?? '';
    assert.match(data, new RegExp(vaultId));
    assert.doesNotMatch(data, /token|nv_/);
    for (const lose of [
      () => home.device.secrets.clear(),
      () => home.app.secretStorage.setSecret('notevault-sync', ''),
    ]) {
      lose();
      await home.restart();
      assert.equal(home.phase, 'signed out');
      assert.equal(home.device.disk.text('a.md'), 'one\n');
    }
    await connect(home, server, vaultId);
    assert.equal(home.phase, 'runs');
  });

  it('a copy of a vault, with its marker and its data, asks before it does anything', async () => {
    await using server = await startServer({ open });
    const home = await homeOf();
    await home.write('a.md', 'one\n');
    await connect(home, server);
    await until(() => textOf(topModal()).includes('Upload: 1'));
    await button(topModal(), en.go).click();
    await until(() => home.plugin.controller.sync?.status.state === 'in step');
    const { secrets } = home.device;
    const copy = await homeOf({ saved: home.device.disk.saved });
    for (const [id, secret] of secrets) copy.device.secrets.set(id, secret);
    await copy.restart();
    assert.equal(copy.phase, 'asks');
    await until(() => textOf(topModal()).includes('Unchanged: 1'), 'the figures');
    assert.ok(textOf(topModal()).includes(en.firstLost));
    await until(() => textOf(topModal()).includes('Upload: 0'));
  });

  it('a copied vault counts equal, earlier and other texts before it syncs, and copies only the last', async () => {
    await using server = await startServer({ open });
    const home = await homeOf();
    for (const name of ['1', '2', '3', 'old', 'other']) await home.write(`${name}.md`, `${name}\n`);
    const headers = { 'x-vault-id': await synced(home, server) };
    await home.plugin.controller.close();
    for (const path of ['old.md', 'other.md'])
      await server.alice.post('/notes', { path, content: 'later\n', mtime: 1 }, headers);
    await home.write('other.md', 'of its own\n');
    const copy = await homeOf({ saved: home.device.disk.saved });
    for (const [id, secret] of home.device.secrets) copy.device.secrets.set(id, secret);
    await copy.restart();
    assert.equal(copy.phase, 'asks');
    const figures = ['Unchanged: 3', 'Download: 1', 'Keep both versions: 1'];
    await until(() => figures.every((figure) => textOf(topModal()).includes(figure)), 'the figures');
    await button(topModal(), en.go).click();
    await until(() => copy.plugin.controller.sync?.status.state === 'in step');
    const paths = copy.app.vault.getFiles().map(({ path }) => path);
    assert.deepEqual(
      paths.filter((path) => path.includes('(conflict')).map((path) => path.replace(/ \(.*\)/, '')),
      ['other.md'],
    );
    assert.equal(copy.device.disk.text('old.md'), 'later\n');
  });

  it('sends what was typed when a phone goes out of sight, rests, and pulls when it is seen again', async () => {
    await using server = await startServer({ open });
    const home = await homeOf({ platform: 'ios' });
    const vaultId = await connect(home, server);
    await until(() => textOf(topModal()).includes(en.go) || settingsIn(topModal().contentEl).length > 0);
    await until(() => textOf(topModal()).includes('Unchanged'));
    await button(topModal(), en.go).click();
    await until(() => home.plugin.controller.sync?.status.state === 'in step');
    const headers = { 'x-vault-id': vaultId };
    // Longer ago than a program may take to write it.
    await home.app.vault.create('a.md', 'typed\n', { mtime: Date.now() - 10_000 });
    await home.plugin.controller.hide();
    assert.equal((await server.alice.get('/notes/a.md', headers)).body.content, 'typed\n');
    assert.equal(home.plugin.controller.sync?.isRunning, false);
    assert.equal(home.plugin.controller.sync?.isConnected, false);
    await server.alice.post('/notes', { path: 'b.md', content: 'two\n', mtime: 1 }, headers);
    await home.plugin.controller.show();
    await until(() => home.device.disk.get('b.md') !== undefined);
    home.command('pause');
    await until(() => home.plugin.controller.sync?.status.state === 'paused');
    assert.ok(home.plugin.controller.isPaused);
  });

  it('a start with nothing changed asks the server once, also once its socket is open', async () => {
    await using server = await startServer({ open });
    const home = await homeOf();
    const vaultId = await synced(home, server);
    using line = new FlakySocket(server.url);
    using other = await line.open(`vault:${vaultId}`, (await server.alice.signed()).accessToken).synced();
    other.provider.awareness?.setLocalState({ note: null });
    const asked: string[] = [];
    home.gate = async ({ pathname }) => void asked.push(pathname);
    await home.restart();
    // The server tells who is there after the seq that the vault has.
    await until(() => (home.plugin.controller.sync?.present.length ?? 0) > 0, 'the socket');
    // A request that was made now would be answered before these.
    const headers = { 'x-vault-id': vaultId };
    for (let turn = 0; turn < 3; turn++) await server.alice.get('/sync/manifest', headers);
    await server.alice.post('/notes', { path: 'b.md', content: 'two\n', mtime: 1 }, headers);
    await until(() => home.device.disk.text('b.md') !== null, 'the change');
    // With another seq, it asks for the folders too.
    assert.equal(asked.indexOf('/api/folders/explicit'), 2, `${asked}`);
  });

  it('C5: a conflict copy and a kept copy can be compared and put away, and a kept one put back', async () => {
    await using server = await startServer({ open });
    const home = await homeOf();
    await home.write('a.md', 'one\n');
    const vaultId = await connect(home, server);
    await server.alice.post('/notes', { path: 'a.md', content: 'other\n', mtime: 1 }, { 'x-vault-id': vaultId });
    await until(() => textOf(topModal()).includes('Keep both versions: '), 'the figures');
    await button(topModal(), en.go).click();
    const { controller } = home.plugin;
    await until(() => (controller.sync?.status.conflicts.length ?? 0) === 1, 'the conflict copy');
    assert.equal(controller.facts.needs, 1);
    const sync = controller.sync ?? assert.fail();
    const dialog = new KeptModal(home.app as never, sync) as unknown as Modal;
    dialog.open();
    await until(() => settingsIn(dialog.contentEl).length > 1);
    const rows = () => settingsIn(dialog.contentEl).filter(({ components }) => components.length > 0);
    await control(rows()[0], en.compare).click();
    assert.ok(dialog.contentEl.all.some(({ tag }) => tag === 'ins'));
    await control(rows()[0], en.putAway).click();
    await until(() => (controller.sync?.status.conflicts.length ?? 1) === 0, 'the end of the conflict');
    dialog.close();
    dialog.open();
    await until(() => rows().length > 0);
    const before = (await sync.disk.kept.list()).length;
    await control(rows()[0], en.putBack).click();
    await control(rows()[0], en.putAway).click();
    assert.equal((await sync.disk.kept.list()).length, before - 1);
  });

  it('shows what a note had before, restores it, and says why it cannot', async () => {
    await using server = await startServer({ open });
    const home = await homeOf();
    const headers = { 'x-vault-id': await synced(home, server) };
    for (const content of ['one\n', 'two\n']) {
      await server.alice.post('/notes', { path: 'a.md', content, mtime: 1 }, headers);
      server.clock.advance({ minutes: 10 });
    }
    await until(() => home.device.disk.text('a.md') === 'two\n', 'the note');
    const [sync, file] = [home.plugin.controller.sync ?? assert.fail(), home.app.vault.getFileByPath('a.md')];
    const dialog = new HistoryModal(home.app as never, sync, file as never) as unknown as Modal;
    dialog.open();
    await until(() => settingsIn(dialog.contentEl).length === 1, 'the version');
    const [version] = settingsIn(dialog.contentEl);
    await control(version, en.compare).click();
    assert.ok(dialog.contentEl.all.some(({ tag, textContent }) => tag === 'del' && textContent.includes('one')));
    const { id } = (await sync.vault.readNote('a.md')) ?? assert.fail();
    const path = `/api/notes/by-id/${id}/restore`;
    home.answers.set(path, Response.json({ error: 'version_unreadable' }, { status: 422 }));
    await control(version, en.restore).click();
    assert.match(shown.notices.at(-1)?.message ?? '', /version_unreadable/);
    home.answers.delete(path);
    await control(version, en.restore).click();
    await until(() => home.device.disk.text('a.md') === 'one\n', 'the restored text');
  });

  it('a mass deletion after the first sync waits for approval, on either side, as after a restart', async () => {
    await using server = await startServer({ open });
    const home = await homeOf();
    for (let at = 0; at < 40; at++) await home.write(`${at}.md`, `${at}\n`);
    const headers = { 'x-vault-id': await synced(home, server) };
    const manifest = async () => (await server.alice.get('/sync/manifest', headers)).body.notes.length as number;
    const brakes = () => home.plugin.controller.facts.status.brakes;
    for (let at = 0; at < 30; at++)
      await home.app.vault.delete(home.app.vault.getFileByPath(`${at}.md`) ?? assert.fail());
    await until(() => brakes()[0]?.files === 30, 'the brake');
    assert.deepEqual([brakes(), await manifest()], [[{ side: 'remote', kind: 'deletions', files: 30, of: 40 }], 40]);
    home.plugin.controller.request('put-back');
    await until(() => brakes().length === 0 && home.app.vault.getFileByPath('0.md') !== null, 'the files');
    const { notes } = (await server.alice.get('/sync/manifest', headers)).body;
    for (const { id } of notes.slice(0, 30)) await server.alice.delete(`/notes/by-id/${id}`, headers);
    await until(() => brakes()[0]?.files === 30, 'the brake on this side');
    assert.equal(brakes()[0]?.side, 'local');
  });

  it('the ribbon’s menu has the five facts and the acts on a phone, where no status bar is', async () => {
    await using server = await startServer({ open });
    const home = await homeOf({ platform: 'android' });
    const press = () => {
      shown.menu = null;
      home.standIn.ribbonIcons[0]?.click({});
      return shown.menu as Menu | null;
    };
    assert.equal(press(), null);
    assert.equal(topModal().titleEl.textContent, en.connect);
    await home.write('a.md', 'one\n');
    await synced(home, server);
    const menu = press() ?? assert.fail('no menu is shown');
    const [labels, acts] = [true, false].map((is) => menu.items.filter(({ isLabel }) => isLabel === is));
    const facts = [en.factServer, en.factUp, en.factDown, en.factNoOldest, en.factNeeds].map((text) =>
      text.split('{', 1).join(''),
    );
    assert.equal(labels?.[0]?.title, en.stateInStep);
    for (const [at, fact] of facts.entries()) assert.ok(labels?.[at + 1]?.title.startsWith(fact), fact);
    assert.deepEqual(
      acts?.map(({ title }) => title),
      [en.pause, en.checkAll, en.follow, en.lead, en.status, en.activity, en.vaultActivity],
    );
    acts?.[0]?.click();
    await until(() => home.plugin.controller.isPaused, 'the pause');
    assert.ok(press()?.items.some(({ title }) => title === en.resume));
    acts?.[2]?.click();
    assert.ok(textOf(topModal()).includes(en.followAsk));
  });

  it('a pause amid a first sync holds between two files, and what is said to be left is what is left', async () => {
    await using server = await startServer({ open });
    const home = await homeOf();
    const vaultId = await connect(home, server);
    const [headers, COUNT] = [{ 'x-vault-id': vaultId }, 40];
    for (let at = 0; at < COUNT; at++) await server.alice.put(`/attachments/${at}.txt`, `file ${at}`, headers);
    let asked = 0;
    const held = Promise.withResolvers<void>();
    home.gate = async ({ pathname }) => {
      if (!pathname.startsWith('/api/attachments/')) return;
      asked += 1;
      if (asked > 10) await held.promise;
    };
    home.plugin.controller.begin();
    const files = () => home.device.disk.list('').filter(({ path }) => path.endsWith('.txt')).length;
    await until(() => files() === 10 && asked === 18, 'what is not held');
    assert.equal(home.plugin.controller.facts.status.waitingDown, COUNT - 10);
    assert.equal(home.plugin.controller.facts.status.state, 'syncing');
    home.command('pause');
    held.resolve();
    await until(() => home.plugin.controller.facts.status.state === 'paused', 'the pause');
    assert.deepEqual([files(), asked], [18, 18]);
    home.command('resume');
    await until(() => files() === COUNT, 'the rest');
  });

  it('C6: after renames and deletions on both sides at once, changes go on arriving in both directions', async () => {
    await using server = await startServer({ open });
    const home = await homeOf();
    for (const name of ['a', 'b', 'c', 'd']) await home.write(`${name}.md`, `${name}\n`);
    const headers = { 'x-vault-id': await synced(home, server) };
    const note = (path: string) => server.alice.get(`/notes/${path}`, headers);
    const file = (path: string) => home.app.vault.getFileByPath(path) ?? assert.fail(path);
    const { id } = (await note('b.md')).body;
    await Promise.all([
      home.app.vault.rename(file('a.md'), 'a here.md'),
      server.alice.post('/notes/rename', { old_path: 'a.md', new_path: 'a there.md' }, headers),
      home.app.vault.delete(file('b.md')),
      server.alice.delete(`/notes/by-id/${id}`, headers),
      home.app.vault.rename(file('c.md'), 'd renamed.md'),
      server.alice.delete(`/notes/by-id/${(await note('d.md')).body.id}`, headers),
    ]);
    const here = () =>
      home.app.vault
        .getFiles()
        .map(({ path }) => path)
        .sort();
    const there = async () =>
      ((await server.alice.get('/sync/manifest', headers)).body.notes as { path: string }[]).map(({ path }) => path);
    await until(async () => here().length === 2 && `${here()}` === `${await there()}`, 'the same names on both sides');
    await home.write('later.md', 'from here\n');
    await until(async () => (await note('later.md')).body.content === 'from here\n', 'the note there');
    await server.alice.post('/notes', { path: 'later.md', content: 'from there\n', mtime: 1 }, headers);
    await until(() => home.device.disk.text('later.md') === 'from there\n', 'the text here');
  });

  it('a search on the server shows what was found, and says why it shows nothing', async () => {
    await using server = await startServer({ open });
    const home = await homeOf();
    await home.write('tea.md', '# Green tea\n\nbrewed at 70 degrees\n');
    await synced(home, server);
    home.command('search');
    const dialog = topModal() as SuggestModal<unknown>;
    const said = async (query: string) => {
      await dialog.type(query);
      return dialog.resultContainerEl.text;
    };
    await until(async () => (await said('brewed')).includes('tea.md'), 'the note among the results');
    assert.equal(await said('coffee'), 'No results found.');
    home.answers.set('/api/search', Response.json({ error: 'invalid_request' }, { status: 400 }));
    assert.equal(await said('"brewed at'), 'No results found.');
    home.answers.set('/api/search', Response.json({ error: 'internal_error' }, { status: 500 }));
    assert.equal(await said('brewed'), en.searchFailed);
    home.answers.clear();
    assert.match(await said('brewed'), /tea\.md/);
    assert.equal(await said('coffee'), 'No results found.');
  });

  it('tells which of plugin and server to update if incompatible, before linking and when sync ends', async () => {
    await using server = await startServer({ open });
    const home = await homeOf();
    const health = (levels: object) =>
      home.answers.set('/api/health', Response.json({ status: 'ok', version: '9.0.0', ...levels }));
    for (const [levels, said] of [
      [{}, reason('oldServer', { version: '9.0.0' })],
      [{ client_level: 9, oldest_client_level: 8 }, reason('oldClient', { version: '9.0.0' })],
    ] as const) {
      health(levels);
      home.command('connect');
      const dialog = topModal();
      const [address, go] = settingsIn(dialog.contentEl);
      await address?.components[0]?.change(server.url);
      await control(go, en.connect).click();
      assert.match(textOf(dialog), new RegExp(said));
      assert.doesNotMatch(textOf(dialog), /[A-Z0-9]{4}-[A-Z0-9]{4}/);
      assert.equal(home.phase, 'not connected');
    }
    home.answers.clear();
    await synced(home, server);
    health({ client_level: 9, oldest_client_level: 8 });
    home.answers.set('/api/sync/changes', Response.json({ error: 'no such thing any more' }, { status: 400 }));
    home.command('check-everything');
    await until(() => home.phase === 'stopped', 'the end of the sync');
    const said = `Notevault: ${en.stateStopped}: ${reason('oldClient', { version: '9.0.0' })}`;
    await until(() => home.standIn.statusBarItems[0]?.textContent === said, 'the state in the status bar');
  });

  it('another address of the server is used from then on, and one without the vault is not', async () => {
    await using server = await startServer({ open });
    await using other = await startServer({ open });
    const home = await homeOf();
    await home.write('a.md', 'one\n');
    const vaultId = await synced(home, server);
    const [tab] = home.standIn.settingTabs;
    const use = async (address: string) => {
      tab?.display();
      const row = settingsIn(tab?.containerEl ?? assert.fail('no settings')).find(
        (one) => one.nameEl.textContent === en.address,
      );
      await row?.components[0]?.change(address);
      await control(row, en.doIt).click();
      return shown.notices.at(-1)?.message;
    };
    const moved = server.url.replace('127.0.0.1', 'localhost');
    assert.equal(await use(moved), en.addressSaved);
    assert.equal(home.plugin.controller.connection?.url, moved);
    await server.alice.post('/notes', { path: 'b.md', content: 'two\n', mtime: 1 }, { 'x-vault-id': vaultId });
    await until(() => home.device.disk.text('b.md') === 'two\n', 'a change from the other address');
    assert.equal(await use(other.url), en.addressOther);
    assert.equal(await use('not an address'), en.addressWrong);
    assert.equal(home.plugin.controller.connection?.url, moved);
    await until(() => home.plugin.controller.sync?.status.state === 'in step');
  });

  it('warns of an unencrypted address before sending anything there, except for this machine’s', async () => {
    const home = await homeOf();
    const asked: string[] = [];
    home.gate = async ({ href }) => void asked.push(href);
    home.command('connect');
    const dialog = topModal();
    const [address] = settingsIn(dialog.contentEl);
    for (const [typed, isNamed] of [
      ['http://notes.example.org', true],
      ['https://notes.example.org', false],
      ['notes.example.org', false],
      ['http://localhost:8080', false],
      ['http://192.168.1.4:8080', true],
    ] as const) {
      await address?.components[0]?.change(typed);
      assert.equal(textOf(dialog).includes(en.openHttp), isNamed, typed);
    }
    assert.deepEqual(asked, []);
  });

  it('says once that the server has no more room for a vault, and for how many files', async () => {
    const plans = { ...builtinPlans, self_hosted: { ...builtinPlans.self_hosted, notes_cap: 1 } };
    await using server = await startServer({ open, config: { plans } });
    const home = await homeOf();
    await home.write('a.md', 'one\n');
    await synced(home, server);
    const full = (count: number) => en.quotaFull.replace('{count}', `${count}`);
    const notices = () => shown.notices.filter(({ message }) => /no space left/.test(message));
    await home.write('b.md', 'two\n');
    await until(() => notices().length > 0, 'the notice');
    assert.equal(notices()[0]?.message, full(1));
    await home.write('c.md', 'three\n');
    await until(() => home.plugin.controller.sync?.status.unsynced.length === 2, 'the other file');
    home.command('status');
    assert.ok(textOf(topModal()).includes(full(2)));
    assert.equal(notices().length, 1);
  });

  it('disconnecting leaves the files, ends the access on the server, and forgets the vault', async () => {
    await using server = await startServer({ open });
    const home = await homeOf();
    await home.write('a.md', 'one\n');
    await connect(home, server);
    await until(() => textOf(topModal()).includes('Upload: 1'));
    await button(topModal(), en.go).click();
    await until(() => home.plugin.controller.sync?.status.state === 'in step');
    const tokens = JSON.parse([...home.device.secrets.values()][0] ?? '{}') as { access_token: string };
    await home.plugin.controller.disconnect();
    assert.equal(home.phase, 'not connected');
    assert.equal(home.device.disk.text('a.md'), 'one\n');
    assert.equal((await server.bearer(tokens.access_token).get('/vaults')).status, 401);
    assert.equal([...home.device.secrets.values()].join(''), '');
    assert.equal(home.device.disk.get('.notevault/folder.json'), undefined);
  });
});
