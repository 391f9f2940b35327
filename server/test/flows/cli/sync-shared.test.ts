import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { Caller } from '../../kit/person.ts';
import { cli, type Ended, Folder, type ServeProcess, startCli, startServe } from '../../kit/programs/process.ts';
import { registerAt } from '../../kit/setup-tokens.ts';
import { tokenOf } from '../../kit/shared-vault.ts';
import { contentsOf } from '../../kit/sync-machine.ts';
import { until } from '../../kit/until.ts';

describe('notevault sync in a vault of somebody else', () => {
  const folder = new Folder();
  const env = { XDG_STATE_HOME: folder.at('state'), XDG_CONFIG_HOME: folder.at('config') };
  const root = folder.at('vault');
  const run = (...args: string[]): Promise<Ended> => cli(args, { env });
  const put = (path: string, content: string) => writeFileSync(join(root, path), content);
  let server: ServeProcess & { readonly url: string };
  let [alice, carol]: Caller[] = [];
  let [vault, carolId] = ['', ''];

  async function person(name: string): Promise<Caller> {
    const body = { email: `${name}@example.org`, password: `${name}'s long password` };
    const { access_token } = (await registerAt(server.url, body)).body;
    return new Caller(server.url, async () => ({ authorization: `Bearer ${access_token}` }));
  }

  async function join_(role: 'viewer' | 'editor'): Promise<void> {
    const made = await alice?.post(`/vaults/${vault}/invitations`, { role });
    const { status } = (await carol?.post(`/invitations/${tokenOf(made?.body.url)}/accept`)) ?? {};
    assert.equal(status, 200);
  }

  async function link(vault_id: string): Promise<Ended> {
    using login = startCli(['login', '--no-keychain', server.url], { env });
    await until(() => /code \S+/.test(login.stdout()), 'a code');
    const user_code = /code (\S+)/.exec(login.stdout())?.[1];
    assert.equal((await carol?.post('/auth/device/authorize', { user_code, vault_id }))?.status, 200);
    return await login.ended;
  }

  before(async () => {
    server = await startServe({ env: { NOTEVAULT_DATA_DIR: folder.at('data') } });
    alice = await person('alice');
    carol = await person('carol');
    assert.equal((await alice.patch('/me', { display_name: 'Alice' })).status, 200);
    vault = (await alice.post('/vaults', { name: 'Garden' })).body.vault.id;
    carolId = (await carol.get('/me')).body.user.id;
    await alice.post('/notes', { path: 'a.md', content: 'one\n', mtime: 1 }, { 'x-vault-id': vault });
    await join_('editor');
    mkdirSync(root, { recursive: true });
  });
  after(async () => {
    await server[Symbol.asyncDispose]();
    folder[Symbol.dispose]();
  });

  it('login links a device with a shared vault and says whose it is, and sync names it among others', async () => {
    const linked = await link(vault);
    assert.match(linked.stdout, /Linked to the vault "Garden", shared by Alice, to edit\./);
    const own = (await carol?.post('/vaults', { name: 'Garden' }))?.body.vault.id;
    await link(own);
    const unsure = await run('sync', '--once', root);
    assert.equal(unsure.code, 1);
    assert.match(unsure.stderr, /Choose with --vault, by name or id/);
    assert.ok(unsure.stderr.includes(`"Garden", shared by Alice, to edit, on ${server.url} (${vault})`), unsure.stderr);
    assert.ok(unsure.stderr.includes(`"Garden" on ${server.url} (${own})`), unsure.stderr);
    const key = (
      await carol?.post('/connections/pat', { name: 'k', vault_access: { [vault]: 'write', [own]: 'read' } })
    )?.body.key;
    const token = { ...env, NOTEVAULT_TOKEN: key };
    const listed = await cli(['sync', '--once', '--url', server.url, root], { env: token });
    assert.ok(listed.stderr.includes(`"Garden", shared by Alice, to edit, (${vault})`), listed.stderr);
    assert.equal((await run('sync', '--once', '--vault', vault, root)).code, 0);
    assert.deepEqual([...contentsOf(root)], [['a.md', 'one\n']]);
  });

  it('sync of a viewer says that nothing is sent, and so does its status', async () => {
    await alice?.patch(`/vaults/${vault}/members/${carolId}`, { role: 'viewer' });
    put('a.md', 'one, of a viewer\n');
    const { code, stdout } = await run('sync', '--once', root);
    assert.equal(code, 0);
    assert.match(
      stdout,
      /^In sync: 0 sent, 2 received\.\nYou have read-only access to this vault: changes in this folder stay here/,
    );
    assert.match(stdout, /a \(conflict .+\)\.md is only in this folder and not uploaded/);
    assert.equal(readFileSync(join(root, 'a.md'), 'utf8'), 'one\n');
    assert.match((await run('sync', 'status', root)).stdout, /access +read-only/);
    await alice?.patch(`/vaults/${vault}/members/${carolId}`, { role: 'editor' });
    assert.match((await run('sync', '--once', root)).stdout, /^In sync: 1 sent, 0 received\.\n$/);
  });

  it('[S10] sync of a removed member ends with one sentence, keeps the folder, and does not restart by itself', async () => {
    using running = startCli(['sync', root], { env });
    await until(
      async () => /"watching":"watched"/.test((await run('sync', 'status', '--json', root)).stdout),
      () => running.stderr(),
    );
    assert.equal((await alice?.delete(`/vaults/${vault}/members/${carolId}`))?.status, 204);
    const { code, stderr } = await running.ended;
    assert.equal(code, 3, stderr);
    const sentence = /notevault: \S+ is no longer synced, because .+; its files stay as they are\. Once .+\n$/;
    assert.match(stderr, sentence);
    const before = contentsOf(root);
    put('a.md', 'one, and offline\n');
    put('mine.md', 'mine\n');
    const files = new Map([...before, ['a.md', 'one, and offline\n'], ['mine.md', 'mine\n']]);
    const status = await run('sync', 'status', root);
    assert.equal(status.code, 1);
    assert.match(status.stdout, /state +no longer synced \(this device was unlinked/);
    const again = await run('sync', '--once', root);
    assert.equal(again.code, 3);
    assert.match(again.stderr, sentence);
    const elsewhere = await run('sync', '--once', '--vault', 'Other', root);
    assert.match(elsewhere.stderr, /is synced with the vault "Garden" already/);
    assert.deepEqual(contentsOf(root), files);

    await join_('editor');
    await link(vault);
    assert.equal((await run('sync', '--once', root)).code, 3, 'nobody said that it is to be synced');
    const { stdout } = await run('sync', '--once', '--vault', vault, root);
    assert.match(stdout, /^In sync: /);
    // Both texts are kept, as of a folder that was never synced.
    const texts = [...contentsOf(root).values()];
    for (const text of ['one\n', 'one, and offline\n', 'mine\n']) assert.ok(texts.includes(text), text);
    assert.match((await run('sync', 'status', root)).stdout, /state +in sync/);
  });
});
