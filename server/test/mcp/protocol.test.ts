/** The endpoint for assistants as HTTP: who may reach it, with what, and in which format it answers. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { test } from 'node:test';
import { Assistant } from '../kit/clients/mcp.ts';
import { onSqlite } from '../kit/engines.ts';
import { oneServer, startServer, type TestServer } from '../kit/server.ts';

const ACCEPT = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' };
const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

/** A request of the current revision, with the headers that it requires. */
function modern(method: string, params: Record<string, unknown> = {}, meta: Record<string, unknown> = {}) {
  const name = typeof params.name === 'string' ? { 'mcp-name': params.name } : {};
  return {
    body: { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: { ...META, ...meta } } },
    headers: { ...ACCEPT, 'mcp-protocol-version': '2026-07-28', 'mcp-method': method, ...name },
  };
}

const LIST = modern('tools/list');

async function keyOf(server: TestServer, body: Record<string, unknown> = {}): Promise<string> {
  return (await server.alice.post('/api-keys', { name: 'assistant', ...body })).body.key;
}

/** Sends headers that `fetch` does not let callers choose. */
async function withHost(server: TestServer, host: string, key: string): Promise<number> {
  const { hostname, port } = new URL(server.url);
  const sent = request({
    hostname,
    port,
    path: '/api/mcp',
    method: 'POST',
    headers: { ...LIST.headers, host, authorization: `Bearer ${key}` },
  });
  sent.end(JSON.stringify(LIST.body));
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  answer.resume();
  return answer.statusCode ?? 0;
}

onSqlite('the endpoint for assistants', (open) => {
  const start = oneServer(() => ({ open }));

  test('challenges a request without a valid credential with metadata and scope, before its body is read', async () => {
    await using server = await start();
    const metadata = `resource_metadata="${server.publicUrl}/.well-known/oauth-protected-resource/api/mcp"`;
    const none = await server.anyone.post('/mcp', 'no JSON at all', LIST.headers);
    assert.equal(none.status, 401);
    assert.equal(none.headers.get('www-authenticate'), `Bearer ${metadata}, scope="mcp"`);
    const wrong = await server.bearer('nv_pat_wrong').post('/mcp', LIST.body, LIST.headers);
    assert.equal(wrong.headers.get('www-authenticate'), `Bearer ${metadata}, error="invalid_token", scope="mcp"`);
    assert.deepEqual(wrong.body, { error: 'unauthorized' });
  });

  test('accepts requests for names of this server, from no page or from its own, local and listed pages', async () => {
    const config = { publicUrl: 'https://notes.example', corsOrigins: ['*', 'https://listed.example'] };
    await using server = await startServer({ open, config });
    const key = await keyOf(server);
    const from = async (origin: string) =>
      (await server.bearer(key).post('/mcp', LIST.body, { ...LIST.headers, origin })).status;
    for (const origin of [
      'https://notes.example',
      'http://localhost:6274',
      'http://127.0.0.1:1',
      'http://[::1]:5',
      'https://listed.example',
    ])
      assert.equal(await from(origin), 200, origin);
    for (const origin of [
      'https://evil.example',
      'http://notes.example',
      'null',
      'http://localhost.evil.example',
      'file://localhost',
    ])
      assert.equal(await from(origin), 403, origin);
    for (const host of ['notes.example', 'localhost:4100', '127.0.0.1', '[::1]:80'])
      assert.equal(await withHost(server, host, key), 200, host);
    for (const host of ['evil.example', 'notes.example.evil.example', '10.0.0.1'])
      assert.equal(await withHost(server, host, key), 403, host);
    assert.equal(await withHost(server, 'evil.example', 'no key'), 403, 'the host is checked before the credential');
  });

  test('answers 405 to GET and DELETE, 415 to another media type, and a JSON-RPC error to what is no JSON', async () => {
    await using server = await start();
    const caller = server.bearer(await keyOf(server));
    for (const method of ['GET', 'DELETE']) {
      const { status, headers } = await caller.call(method, '/mcp', undefined, ACCEPT);
      assert.deepEqual([status, headers.get('allow')], [405, 'POST']);
    }
    assert.equal((await caller.post('/mcp', '{}', { ...LIST.headers, 'content-type': 'text/plain' })).status, 415);
    const broken = await caller.post('/mcp', '{', LIST.headers);
    assert.deepEqual([broken.status, broken.body.error.code, broken.body.id], [400, -32_700, null]);
  });

  test('answers with JSON, and with a stream only where progress was requested', async () => {
    await using server = await start();
    await server.alice.post('/vaults', { name: 'Home' });
    const caller = server.bearer(await keyOf(server));
    const paths = Array.from({ length: 6 }, (_, index) => `${index}.md`);
    for (const path of paths) await caller.post('/notes', { path, content: path, mtime: 1 });
    const reading = { name: 'get_notes', arguments: { paths } };
    const plain = modern('tools/call', reading);
    assert.match(
      (await caller.post('/mcp', plain.body, plain.headers)).headers.get('content-type') ?? '',
      /^application\/json/,
    );
    const streamed = modern('tools/call', reading, { progressToken: 'p' });
    const stream = await caller.post('/mcp', streamed.body, streamed.headers);
    assert.match(stream.headers.get('content-type') ?? '', /^text\/event-stream/);
    assert.equal(stream.headers.get('x-accel-buffering'), 'no');
    assert.match(stream.body, /notifications\/progress[\s\S]*"total":6[\s\S]*"result"/);
    const legacy = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: reading };
    const headers = { ...ACCEPT, 'mcp-protocol-version': '2025-06-18' };
    assert.match((await caller.post('/mcp', legacy, headers)).headers.get('content-type') ?? '', /^application\/json/);
    const asking = { ...legacy, params: { ...reading, _meta: { progressToken: 7 } } };
    assert.match((await caller.post('/mcp', asking, headers)).body, /notifications\/progress[\s\S]*"result"/);
  });

  test('is where /mcp and a slash at the end point to', async () => {
    await using server = await start();
    const headers = { ...LIST.headers, authorization: `Bearer ${await keyOf(server)}` };
    for (const path of ['/mcp', '/mcp/', '/api/mcp/']) {
      const body = JSON.stringify(LIST.body);
      const answer = await fetch(server.url + path, { method: 'POST', headers, body, redirect: 'manual' });
      assert.deepEqual([answer.status, answer.headers.get('location')], [308, '/api/mcp'], path);
      const followed = await fetch(server.url + path, { method: 'POST', headers, body });
      assert.ok(((await followed.json()) as { result: { tools: unknown[] } }).result.tools.length > 10);
    }
  });

  test('answers each request of a batch, also those that share an id', async () => {
    await using server = await start();
    await server.alice.post('/vaults', { name: 'Home' });
    const caller = server.bearer(await keyOf(server));
    const headers = { ...ACCEPT, 'mcp-protocol-version': '2025-03-26' };
    const request = (id: unknown, method: string, params = {}) => ({ jsonrpc: '2.0', id, method, params });
    const _meta = { progressToken: 'p' };
    const batch = [
      request(1, 'tools/list'),
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      request('1', 'ping'),
      request(1, 'tools/call', { name: 'list_vaults', arguments: {}, _meta }),
      request(1, 'no/such'),
    ];
    const { status, body } = await caller.post('/mcp', batch, headers);
    assert.equal(status, 200);
    assert.deepEqual(
      (body as { id: unknown }[]).map(({ id }) => id),
      [1, '1', 1, 1],
    );
    const [tools, ping, vaults, none] = body;
    assert.ok(tools.result.tools.length > 10);
    assert.deepEqual([ping.result, none.error.code], [{}, -32_601]);
    assert.match(vaults.result.content[0].text, /Home/);
    const many = Array.from({ length: 101 }, () => request(1, 'ping'));
    assert.equal((await caller.post('/mcp', many, headers)).status, 400);
    const malformed = await caller.post('/mcp', [request(1, 'ping'), request(1, 'ping'), 'no request'], headers);
    assert.deepEqual([malformed.status, malformed.body.error.code], [400, -32_600]);
  });

  test('clients that accept anything, or only JSON, are served; others are refused', async () => {
    await using server = await start();
    const caller = server.bearer(await keyOf(server));
    const legacy = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
    const asked = async (accept: string) =>
      (await caller.post('/mcp', legacy, { ...ACCEPT, accept, 'mcp-protocol-version': '2025-06-18' })).status;
    for (const accept of ['*/*', 'application/json, */*;q=0.1', ACCEPT.accept]) assert.equal(await asked(accept), 200);
    for (const accept of ['text/html', 'text/event-stream']) assert.equal(await asked(accept), 406);
    assert.equal((await caller.post('/mcp', LIST.body, { ...LIST.headers, accept: '*/*' })).status, 200);
  });

  test('a client that accepts only JSON gets JSON, also where it requests progress, in both eras', async () => {
    await using server = await start();
    const vault = (await server.alice.post('/vaults', { name: 'Home' })).body.vault.id;
    const paths = ['a.md', 'b.md', 'c.md', 'd.md', 'e.md'];
    for (const path of paths) await server.alice.post('/notes', { path, content: path, mtime: 1 });
    const caller = server.bearer(await keyOf(server));
    const params = { name: 'get_notes', arguments: { vault, paths } };
    const accept = 'application/json';
    const current = modern('tools/call', params, { progressToken: 7 });
    const old = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { ...params, _meta: { progressToken: 7 } } };
    const answers = [
      await caller.post('/mcp', current.body, { ...current.headers, accept }),
      await caller.post('/mcp', old, { ...ACCEPT, 'mcp-protocol-version': '2025-06-18', accept }),
      await caller.post('/mcp', [old], { ...ACCEPT, 'mcp-protocol-version': '2025-03-26', accept }),
    ];
    for (const { status, headers, body } of answers) {
      assert.deepEqual([status, headers.get('content-type')], [200, 'application/json']);
      assert.match([body].flat()[0].result.content[0].text, /e\.md/);
    }
  });

  test('an answer is sent once, as text; with notevault/structured in _meta as structuredContent too', async () => {
    await using server = await start();
    await server.alice.post('/vaults', { name: 'Home' });
    await server.alice.post('/notes', { path: 'a.md', content: 'words', mtime: 1 });
    const caller = server.bearer(await keyOf(server));
    const call = async (name: string, input: object, meta = {}) => {
      const { body, headers } = modern('tools/call', { name, arguments: input }, meta);
      return (await caller.post('/mcp', body, headers)).body.result;
    };
    const once = await call('get_notes', { paths: ['a.md'] });
    assert.match(once.content[0].text, /words/);
    assert.equal(once.structuredContent, undefined);
    const whole = await call('get_notes', { paths: ['a.md'] }, { 'notevault/structured': true });
    assert.equal(whole.structuredContent.notes[0].content, 'words');
    // The host of these two expects both.
    const found = await call('search', { query: 'words' });
    assert.deepEqual(JSON.parse(found.content[0].text), found.structuredContent);
    // A tool with an output schema would have to send structured content.
    const { tools } = (await caller.post('/mcp', LIST.body, LIST.headers)).body.result;
    assert.ok(tools.every((tool: object) => !('outputSchema' in tool)));
  });

  test('serves every revision from 2025-03-26 to 2026-07-28, and names those it has for others', async () => {
    await using server = await start();
    const caller = server.bearer(await keyOf(server));
    for (const protocolVersion of ['2025-03-26', '2025-06-18', '2025-11-25']) {
      const params = { protocolVersion, capabilities: {}, clientInfo: { name: 'old', version: '1' } };
      const { status, body } = await caller.post(
        '/mcp',
        { jsonrpc: '2.0', id: 1, method: 'initialize', params },
        ACCEPT,
      );
      assert.deepEqual([status, body.result.protocolVersion], [200, protocolVersion]);
      const list = await caller.post(
        '/mcp',
        { jsonrpc: '2.0', id: 2, method: 'tools/list' },
        { ...ACCEPT, 'mcp-protocol-version': protocolVersion },
      );
      assert.ok(list.body.result.tools.length > 10);
    }
    const discover = modern('server/discover');
    const { body } = await caller.post('/mcp', discover.body, discover.headers);
    assert.ok(body.result.supportedVersions.includes('2026-07-28'));
    const list = await caller.post('/mcp', LIST.body, LIST.headers);
    assert.deepEqual([list.body.result.ttlMs > 0, list.body.result.cacheScope], [true, 'private']);
    const future = modern('tools/list', {}, { 'io.modelcontextprotocol/protocolVersion': '2031-01-01' });
    const unknown = await caller.post('/mcp', future.body, { ...future.headers, 'mcp-protocol-version': '2031-01-01' });
    assert.deepEqual([unknown.status, unknown.body.error.code], [400, -32_022]);
    const mismatch = await caller.post('/mcp', LIST.body, { ...LIST.headers, 'mcp-method': 'tools/call' });
    assert.deepEqual([mismatch.status, mismatch.body.error.code], [400, -32_020]);
    const missing = modern('no/such');
    const none = await caller.post('/mcp', missing.body, missing.headers);
    assert.deepEqual([none.status, none.body.error.code], [404, -32_601]);
  });

  test('shows no writing tool to a read-only credential, and challenges its calls for more scope', async () => {
    await using server = await start();
    await server.alice.post('/vaults', { name: 'Home' });
    const reader = await keyOf(server, { scope: 'mcp:read' });
    await using assistant = await Assistant.connect(server, reader);
    const names = await assistant.tools();
    assert.ok(names.includes('get_notes') && !names.includes('create_note') && !names.includes('edit_note'));
    const write = modern('tools/call', { name: 'create_note', arguments: { path: 'a.md', content: '' } });
    const refused = await server.bearer(reader).post('/mcp', write.body, write.headers);
    assert.equal(refused.status, 403);
    assert.match(
      refused.headers.get('www-authenticate') ?? '',
      /error="insufficient_scope", scope="mcp", resource_metadata=/,
    );
    await using writer = await Assistant.connect(server, await keyOf(server));
    assert.ok((await writer.tools()).includes('create_note'));
  });

  test('serves sessions and keys, and refuses a revoked key', async () => {
    await using server = await start();
    await server.alice.post('/vaults', { name: 'Home' });
    const { key, id } = (await server.alice.post('/api-keys', { name: 'k' })).body;
    assert.equal((await server.bearer(key).post('/mcp', LIST.body, LIST.headers)).status, 200);
    await server.alice.delete(`/api-keys/${id}`);
    assert.equal((await server.bearer(key).post('/mcp', LIST.body, LIST.headers)).status, 401);
    assert.equal((await server.alice.post('/mcp', LIST.body, LIST.headers)).status, 200);
  });
});
