/** The tools over standard input and output: a data folder, stored logins, and hosts of earlier revisions. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { Credentials } from '../../../cli/src/sync/account/credentials.ts';
import { onSqlite } from '../kit/engines.ts';
import { linkDevice } from '../kit/operations.ts';
import { assertFails, cli, Folder, startServe } from '../kit/programs/process.ts';
import { startServer, type TestServer } from '../kit/server.ts';
import { connect } from './stdio-host.ts';

/** Uses what `notevault login` stores, and asks for a choice when there are several. */
async function storedLogins(server: TestServer, vault: string): Promise<void> {
  using folder = new Folder();
  const { access, refresh } = await linkDevice(server.alice, vault);
  const login = {
    url: server.url,
    vault_id: vault,
    vault_name: 'Home',
    email: 'alice@example.org',
    allow_http: true,
    in_keychain: false,
  };
  const credentials = new Credentials(join(folder.path, 'notevault'));
  await credentials.save({ ...login, access_token: access, refresh_token: refresh });
  {
    await using assistant = await connect({ XDG_CONFIG_HOME: folder.path });
    assert.equal((await assistant.call('list_vaults')).data.vaults[0].id, vault);
  }
  await credentials.save({ ...login, vault_id: crypto.randomUUID(), access_token: 'x', refresh_token: 'y' });
  assertFails(await cli(['mcp'], { env: { XDG_CONFIG_HOME: folder.path } }), /choose one with --vault or --url/);
}

onSqlite('notevault mcp', (open) => {
  test('notevault mcp uses a stored login, and serves hosts of earlier revisions', async () => {
    await using server = await startServer({ open });
    const vault = (await server.alice.post('/vaults', { name: 'Home' })).body.vault.id;
    await storedLogins(server, vault);
    const { key } = (await server.alice.post('/api-keys', { name: 'laptop' })).body;
    await using assistant = await connect({ NOTEVAULT_URL: server.url, NOTEVAULT_TOKEN: key }, true);
    assert.equal((await assistant.call('create_note', { path: 'a.md', content: 'one' })).isError, false);
  });
});

test('notevault mcp serves the vaults of a data folder, in its own process or beside a server', async () => {
  using folder = new Folder();
  const env = { NOTEVAULT_DATA_DIR: folder.at('data') };
  await cli(['admin', 'create-user', 'alice@example.org', '--password-stdin'], { env, input: 'a long password\n' });
  assertFails(await cli(['mcp'], { env: { NOTEVAULT_DATA_DIR: folder.at('none') } }), /.+/);
  const source = folder.at('notes');
  const { mkdir, writeFile } = await import('node:fs/promises');
  await mkdir(source);
  await writeFile(join(source, 'a.md'), 'first\n');
  assert.equal((await cli(['import', source, '--vault', 'Home'], { env })).code, 0);
  {
    await using assistant = await connect(env);
    assert.equal((await assistant.call('append_to_note', { path: 'a.md', text: 'alone' })).isError, false);
  }
  await using _ = await startServe({ env });
  await using assistant = await connect(env);
  assert.equal((await assistant.call('get_notes', { paths: ['a.md'] })).data.notes[0].content, 'first\nalone\n');
});
