/** OAuth as clients of assistants really behave. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Assistant } from '../kit/clients/mcp.ts';
import { OAuthApp } from '../kit/clients/oauth-app.ts';
import { onEachEngine } from '../kit/engines.ts';
import { startServer, type TestServer } from '../kit/server.ts';

/** Starts a server whose public address is the one that it is reached by in tests of OAuth. */
async function started(open: Parameters<typeof startServer>[0]['open']): Promise<TestServer> {
  const server = await startServer({ open, config: { publicUrl: 'https://notes.example' } });
  await server.alice.post('/vaults', { name: 'Home' });
  return server;
}

onEachEngine('OAuth for assistants', (open) => {
  test('a client may register twice in a row, and each registration has an address that only its token reads', async () => {
    await using server = await started(open);
    const [first, second] = [await OAuthApp.register(server), await OAuthApp.register(server)];
    assert.notEqual(first.client.client_id, second.client.client_id);
    for (const { client } of [first, second]) {
      const { registration_client_uri: uri, registration_access_token: token } = client as Record<string, unknown>;
      assert.equal(uri, `https://notes.example/oauth/register/${client.client_id}`);
      const read = (bearer: string) =>
        fetch(`${server.url}/oauth/register/${client.client_id}`, { headers: { authorization: `Bearer ${bearer}` } });
      const answer = await read(String(token));
      assert.equal(answer.status, 200);
      assert.equal(((await answer.json()) as { client_id: string }).client_id, client.client_id);
      assert.equal((await read(`${token}x`)).status, 401);
      assert.equal((await read('nv_orr_.')).status, 401);
    }
    const foreign = (first.client as Record<string, unknown>).registration_access_token;
    const crossed = await fetch(`${server.url}/oauth/register/${second.client.client_id}`, {
      headers: { authorization: `Bearer ${foreign}` },
    });
    assert.equal(crossed.status, 401);
    // The other registration of the same attempt is authorized.
    const { access_token: access } = await second.connect({ resource: 'https://notes.example/api/mcp' });
    await using assistant = await Assistant.connect(server, access);
    assert.ok((await assistant.tools()).includes('edit_note'));
  });

  test('a request without resource gives a token for the endpoint, and one for another server is refused', async () => {
    await using server = await started(open);
    const app = await OAuthApp.register(server);
    const { access_token: access, refresh_token: refresh } = await app.connect({});
    await using assistant = await Assistant.connect(server, access);
    assert.equal((await assistant.call('list_folder')).isError, false);
    const next = await app.refresh(refresh);
    await using again = await Assistant.connect(server, next.access_token);
    assert.equal((await again.call('list_folder')).isError, false);
    const elsewhere = await app.ask({ resource: 'https://other.example/mcp' });
    const met = await fetch(elsewhere.url.replace('https://notes.example', server.url), { redirect: 'manual' });
    assert.match(met.headers.get('location') ?? (await met.text()), /invalid_target/);
  });

  test('a reader sees no writing tool, is told which scope it lacks, and gets it by asking for more', async () => {
    await using server = await started(open);
    const app = await OAuthApp.register(server);
    const { access_token: reader, scope } = await app.connect({ scope: 'mcp:read' });
    assert.equal(scope, 'mcp:read');
    await using reading = await Assistant.connect(server, reader);
    assert.ok(!(await reading.tools()).includes('create_note'));
    await assert.rejects(reading.call('create_note', { path: 'a.md', content: '' }), /required "mcp"/);
    const { access_token: writer } = await app.connect({ scope: 'mcp' });
    await using writing = await Assistant.connect(server, writer);
    assert.equal((await writing.call('create_note', { path: 'a.md', content: '' })).isError, false);
  });

  test('a revoked grant is refused at the endpoint', async () => {
    await using server = await started(open);
    const app = await OAuthApp.register(server);
    const { access_token: access } = await app.connect({});
    await using assistant = await Assistant.connect(server, access);
    assert.equal((await server.alice.delete(`/connections/oauth/${app.client.client_id}`)).status, 204);
    await assert.rejects(assistant.call('list_folder'), /401|unauthorized/i);
  });
});
