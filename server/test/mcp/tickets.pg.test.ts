/** Tickets: URLs that permit one download or upload without a credential. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Assistant } from '../kit/clients/mcp.ts';
import { onEachEngine } from '../kit/engines.ts';
import { oneServer, type TestServer } from '../kit/server.ts';

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==',
  'base64',
);

/** Uses a ticket as a program without a credential does. */
function use(server: TestServer, { url, method }: { url: string; method: string }, init: RequestInit = {}) {
  return fetch(url.replace(server.publicUrl, server.url), { method, ...init });
}

onEachEngine('tickets', (open) => {
  const start = oneServer(() => ({ open }));

  test('a download ticket reads one attachment, whole or in ranges, until it expires', async () => {
    await using server = await start();
    await server.alice.post('/vaults', { name: 'Home' });
    await server.alice.post('/attachments', { path: 'a.txt', content_base64: btoa('0123456789'), mtime: 1 });
    const { body: ticket, status } = await server.alice.post('/tickets', {
      operation: 'attachment.get',
      path: 'a.txt',
    });
    assert.deepEqual([status, ticket.method], [200, 'GET']);
    assert.ok(ticket.url.startsWith(`${server.publicUrl}/api/tickets/`));
    assert.equal(Date.parse(ticket.expires_at) - server.clock.now(), 300_000);
    assert.equal(await (await use(server, ticket)).text(), '0123456789');
    const part = await use(server, ticket, { headers: { range: 'bytes=2-4' } });
    assert.deepEqual([part.status, await part.text()], [206, '234']);
    assert.equal((await use(server, { ...ticket, method: 'PUT' }, { body: 'x' })).status, 404);
    assert.equal((await use(server, { ...ticket, url: `${ticket.url}x` })).status, 404);
    server.clock.advance({ minutes: 5 });
    assert.equal((await use(server, ticket)).status, 404);
  });

  test('an upload ticket writes one attachment once, within its limit, for the credential that made it', async () => {
    await using server = await start();
    await server.alice.post('/vaults', { name: 'Home' });
    const { key } = (await server.alice.post('/api-keys', { name: 'k' })).body;
    const issue = async (body: object) =>
      (await server.bearer(key).post('/tickets', { operation: 'attachment.put', ...body })).body;
    const ticket = await issue({ path: 'img/dot.png' });
    const answers = await Promise.all([1, 2, 3].map(() => use(server, ticket, { body: PNG })));
    assert.deepEqual(answers.map((each) => each.status).sort(), [200, 404, 404]);
    const stored = await server.alice.get('/attachments/img/dot.png?raw=1');
    assert.deepEqual(stored.bytes, PNG);
    const small = await issue({ path: 'b.png', max_bytes: 10 });
    const refused = await use(server, small, { body: PNG });
    assert.deepEqual([refused.status, await refused.json()], [413, { error: 'body_too_large', max: 10 }]);
    assert.equal((await server.alice.get('/attachments/b.png')).status, 404);
    const reader = (await server.alice.post('/api-keys', { name: 'r', default_access: 'read' })).body.key;
    assert.equal(
      (await server.bearer(reader).post('/tickets', { operation: 'attachment.put', path: 'c.png' })).status,
      403,
    );
    assert.equal(
      (await server.bearer(reader).post('/tickets', { operation: 'attachment.get', path: 'c.png' })).status,
      200,
    );
  });

  test('a ticket ends with its credential, its vault, and when it was swept', async () => {
    await using server = await start();
    const { id: vault } = (await server.alice.post('/vaults', { name: 'Home' })).body.vault;
    await server.alice.post('/attachments', { path: 'a.txt', content_base64: btoa('x'), mtime: 1 });
    const { key, id } = (await server.alice.post('/api-keys', { name: 'k' })).body;
    const made = (await server.bearer(key).post('/tickets', { operation: 'attachment.get', path: 'a.txt' })).body;
    assert.equal((await use(server, made)).status, 200);
    await server.alice.delete(`/api-keys/${id}`);
    assert.equal((await use(server, made)).status, 404);
    const own = (await server.alice.post('/tickets', { operation: 'attachment.get', path: 'a.txt' })).body;
    await server.app.tickets.sweep();
    assert.equal((await use(server, own)).status, 200);
    await server.alice.delete(`/vaults/${vault}`);
    assert.equal((await use(server, own)).status, 404);
    await server.alice.post(`/vaults/${vault}/restore`);
    assert.equal((await use(server, own)).status, 200);
    server.clock.advance({ minutes: 6 });
    await server.app.tickets.sweep();
    assert.equal((await use(server, own)).status, 404);
  });

  test('assistants look at pictures, read short texts, and get tickets for all else', async () => {
    await using server = await start();
    await server.alice.post('/vaults', { name: 'Home' });
    const { key } = (await server.alice.post('/api-keys', { name: 'k' })).body;
    await using assistant = await Assistant.connect(server, key);
    const target = await assistant.call('get_attachment_upload_target', { path: 'dot.png' });
    assert.ok(!target.text.includes(key));
    assert.equal((await use(server, target.data, { body: PNG })).status, 200);
    const { content } = await assistant.client.callTool({ name: 'get_attachment', arguments: { path: 'dot.png' } });
    assert.deepEqual(content[1], { type: 'image', data: PNG.toString('base64'), mimeType: 'image/png' });
    await server.alice.put('/attachments/a.csv', 'a,b\n', { 'content-type': 'text/csv' });
    assert.equal((await assistant.call('get_attachment', { path: 'a.csv' })).data.content, 'a,b\n');
    await server.alice.put('/attachments/long.csv', 'a,b\n'.repeat(10_000), { 'content-type': 'text/csv' });
    const long = await assistant.call('get_attachment', { path: 'long.csv' });
    assert.equal(long.data.complete, false);
    assert.equal(await (await use(server, long.data)).text(), 'a,b\n'.repeat(10_000));
    assert.match((await assistant.call('get_attachment', { path: 'lon.csv' })).text, /no attachment[\s\S]*long\.csv/);
  });
});
