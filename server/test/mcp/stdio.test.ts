/** The tools over standard input and output, as a host starts them. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Credentials } from '../../../cli/src/sync/account/credentials.ts';
import { onSqlite } from '../kit/engines.ts';
import { Assistant } from '../kit/mcp.ts';
import { linkDevice } from '../kit/operations.ts';
import { assertFails, cli, type Environment, Folder, startServe } from '../kit/process.ts';
import { startServer, type TestServer } from '../kit/server.ts';

const main = join(import.meta.dirname, '../../../cli/src/main.ts');

async function connect(env: Environment, legacy = false): Promise<Assistant> {
  const client = new Client(
    { name: 'a host', version: '1' },
    { versionNegotiation: { mode: legacy ? 'legacy' : 'auto' } },
  );
  const environment = { PATH: process.env.PATH ?? '', HOME: '/nonexistent', ...env };
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [main, 'mcp'], env: environment }));
  return new Assistant(client);
}

/** Uses what `notevault login` stores, and asks for a choice when there are several. */
async function storedLogins(server: TestServer, vault: string, open: typeof connect): Promise<void> {
  using folder = new Folder();
  const { access, refresh } = await linkDevice(server.alice, vault);
  const login = { url: server.url, vault_id: vault, vault_name: 'Home', email: 'alice@example.org', allow_http: true };
  const credentials = new Credentials(join(folder.path, 'notevault'));
  await credentials.save({ ...login, access_token: access, refresh_token: refresh });
  {
    await using assistant = await open({ XDG_CONFIG_HOME: folder.path });
    assert.equal((await assistant.call('list_vaults')).data.vaults[0].id, vault);
  }
  await credentials.save({ ...login, vault_id: crypto.randomUUID(), access_token: 'x', refresh_token: 'y' });
  assertFails(await cli(['mcp'], { env: { XDG_CONFIG_HOME: folder.path } }), /choose one with --vault or --url/);
}

onSqlite('notevault mcp', (open) => {
  test('serves the tools of a server, in both eras, with the credential of the environment', async () => {
    await using server = await startServer({ open });
    const vault = (await server.alice.post('/vaults', { name: 'Home' })).body.vault.id;
    const { key } = (await server.alice.post('/api-keys', { name: 'laptop' })).body;
    for (const legacy of [false, true]) {
      await using assistant = await connect({ NOTEVAULT_URL: server.url, NOTEVAULT_TOKEN: key }, legacy);
      const path = `${legacy}.md`;
      assert.equal((await assistant.call('create_note', { path, content: 'one\n' })).isError, false);
      await assistant.call('append_to_note', { path, text: 'two' });
      assert.equal((await server.bearer(key).get(`/notes/${path}`)).body.content, 'one\ntwo\n');
      const [newest] = (await assistant.call('get_history', { path })).data.versions;
      assert.deepEqual([newest.reason, newest.actor], ['agent', { kind: 'key', name: 'laptop', client: 'a host' }]);
    }
    const { key: reader } = (await server.alice.post('/api-keys', { name: 'reader', default_access: 'read' })).body;
    await using assistant = await connect({ NOTEVAULT_URL: server.url, NOTEVAULT_TOKEN: reader });
    assert.ok(!(await assistant.tools()).includes('create_note'));
    const hello = {
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
    };
    const { stdout, code } = await cli(['mcp', '--url', server.url], {
      env: { NOTEVAULT_TOKEN: reader },
      input: `${JSON.stringify(hello)}\n`,
    });
    for (const line of stdout.split('\n').filter((each) => each !== '')) assert.equal(JSON.parse(line).jsonrpc, '2.0');
    assert.equal(code, 0);
    assertFails(await cli(['mcp', '--url', server.url], { env: { NOTEVAULT_TOKEN: 'nv_pat_wrong' } }), /401/);
    assertFails(await cli(['mcp', '--url', server.url]), /needs a token/);
    await storedLogins(server, vault, connect);
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
