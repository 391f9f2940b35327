/** The tools over standard input and output, as a host starts them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onSqlite } from '../kit/engines.ts';
import { assertFails, cli } from '../kit/programs/process.ts';
import { startServer } from '../kit/server.ts';
import { connect } from './stdio-host.ts';

onSqlite('notevault mcp', (open) => {
  test('serves a server’s tools with the credential of the environment, and writes only the protocol', async () => {
    await using server = await startServer({ open });
    await server.alice.post('/vaults', { name: 'Home' });
    const { key } = (await server.alice.post('/api-keys', { name: 'laptop' })).body;
    {
      await using assistant = await connect({ NOTEVAULT_URL: server.url, NOTEVAULT_TOKEN: key });
      assert.equal((await assistant.call('create_note', { path: 'a.md', content: 'one\n' })).isError, false);
      await assistant.call('append_to_note', { path: 'a.md', text: 'two' });
      assert.equal((await server.bearer(key).get('/notes/a.md')).body.content, 'one\ntwo\n');
      const [newest] = (await assistant.call('get_history', { path: 'a.md' })).data.versions;
      const { id: user_id } = (await server.alice.get('/me')).body.user;
      const actor = { kind: 'key', name: 'laptop', client: 'a host', user_id };
      assert.deepEqual([newest.reason, newest.actor], ['agent', actor]);
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
  });
});
