import assert from 'node:assert/strict';
import { request } from 'node:http';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { MB } from '@notevault/protocol/values/byte-units.ts';
import { onSqlite } from '../../../../test/kit/engines.ts';
import { notesOnOneServer } from '../../../../test/kit/notes.ts';
import type { Headed } from '../../../../test/kit/person.ts';
import type { TestServer } from '../../../../test/kit/server.ts';

const json = { 'content-type': 'application/json' };

/** A request whose body never comes: what is answered was decided by its head. */
async function headOnly(server: TestServer, path: string, headers: Headed) {
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; text: string }>();
  const sent = request(`${server.url}/api${path}`, { method: 'POST', headers }, async (answer) => {
    let text = '';
    for await (const chunk of answer) text += chunk;
    resolve({ status: answer.statusCode ?? 0, text });
    sent.destroy();
  });
  sent.on('error', reject).flushHeaders();
  return promise;
}

onSqlite('requests about notes', (open) => {
  const start = notesOnOneServer(open);

  test('a field of the wrong type is named', async () => {
    const { alice } = await start();
    const good = { path: 'a.md', mtime: 1, content: 'x' };
    const wrong: readonly [field: string, value: unknown, message: RegExp][] = [
      ['path', 1, /string/],
      ['path', null, /string/],
      ['path', undefined, /required/],
      ['mtime', '1', /number/],
      ['mtime', null, /number/],
      ['mtime', undefined, /required/],
      ['content', 1, /string/],
      ['content', null, /string/],
      ['version', '1', /integer/],
      ['version', 1.5, /integer/],
      ['base_hash', 1, /string/],
      ['id', 1, /string/],
      ['title', {}, /string/],
      ['folder', [], /string/],
      ['tags', 'a', /array/],
      ['tags', null, /array/],
    ];
    for (const [field, value, message] of wrong) {
      const { status, body } = await alice.caller.post('/notes', { ...good, [field]: value });
      assert.deepEqual([status, Object.keys(body), Object.keys(body.errors)], [422, ['errors'], [field]]);
      assert.match(body.errors[field][0], message);
    }
    const inside = await alice.caller.post('/notes', { ...good, tags: ['a', 1] });
    assert.deepEqual(Object.keys(inside.body.errors), ['tags.1']);
    const infinite = await alice.caller.post('/notes', '{"path":"a.md","mtime":1e999}', json);
    assert.deepEqual([infinite.status, Object.keys(infinite.body.errors)], [422, ['mtime']]);
    const nulls = { version: null, base_hash: null, id: null, title: null, folder: null };
    assert.equal((await alice.caller.post('/notes', { ...good, ...nulls })).status, 200);
  });

  test('a body that is no object, no JSON, or of another type', async () => {
    const { alice } = await start();
    for (const body of [[], null, 'text', 1]) {
      const answer = await alice.caller.post('/notes', JSON.stringify(body), json);
      assert.deepEqual([answer.status, Object.keys(answer.body.errors)], [422, ['body']]);
    }
    assert.equal((await alice.caller.post('/notes', '', json)).status, 422);
    const invalid = ['{"path":', '{path:"a.md"}', new Uint8Array([0x22, 0xff, 0x22])];
    for (const body of invalid) {
      const answer = await alice.caller.post('/notes', body, json);
      assert.deepEqual([answer.status, answer.body], [400, { error: 'invalid_json' }]);
    }
    const good = '{"path":"a.md","mtime":1}';
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/xml', 'json']) {
      const answer = await alice.caller.post('/notes', good, { 'content-type': type });
      assert.deepEqual([answer.status, answer.body], [415, { error: 'unsupported_media_type' }], type);
    }
    assert.equal((await alice.caller.post('/notes', Buffer.from(good))).status, 415, 'no type');
    for (const coding of ['gzip', 'br', 'gzip, identity']) {
      const answer = await alice.caller.post('/notes', gzipSync(good), { ...json, 'content-encoding': coding });
      assert.deepEqual([answer.status, answer.body], [415, { error: 'unsupported_media_type' }], coding);
      const headers = { 'content-type': 'text/plain', 'content-encoding': coding };
      assert.equal((await alice.caller.put('/attachments/a.txt', gzipSync('text'), headers)).status, 415, coding);
    }
    assert.equal((await alice.caller.post('/notes', good, { ...json, 'content-encoding': 'Identity' })).status, 200);
    assert.equal(
      (await alice.caller.post('/notes', good, { 'content-type': 'application/json; charset=utf-8' })).status,
      200,
    );
    const polluted = '{"path":"b.md","mtime":1,"__proto__":{"content":"x"},"constructor":{"prototype":{}}}';
    assert.equal((await alice.caller.post('/notes', polluted, json)).body.note.content, '');
  });

  test('a body over 64 MB is refused by its length alone, and none is read without a credential', async () => {
    const { server } = await start();
    const authorization = `Bearer ${(await server.alice.signed()).accessToken}`;
    const tooLong = { ...json, 'content-length': String(64 * MB + 1) };
    const refused = await headOnly(server, '/notes', { ...tooLong, authorization });
    assert.deepEqual(refused, { status: 413, text: JSON.stringify({ error: 'body_too_large', max: 64 * MB }) });
    assert.equal((await headOnly(server, '/notes', tooLong)).status, 401);
    assert.equal((await headOnly(server, '/notes', { ...json, 'content-length': '10' })).status, 401);
    const astray = { ...tooLong, authorization, 'x-vault-id': crypto.randomUUID() };
    assert.equal((await headOnly(server, '/notes', astray)).status, 404);
  });

  test('no, garbled and expired credentials are not told apart, but for the challenge', async () => {
    const { server, alice } = await start();
    await alice.write('a.md');
    const { accessToken } = await server.alice.signed();
    const metadata = '.well-known/oauth-protected-resource/api/mcp"';
    const none = await server.anyone.get('/notes/a.md');
    assert.deepEqual([none.status, none.body], [401, { error: 'unauthorized' }]);
    assert.match(none.headers.get('www-authenticate') ?? '', /^Bearer resource_metadata="http:\/\/[^"]+"$/);
    assert.ok(none.headers.get('www-authenticate')?.endsWith(metadata));
    const garbled = [
      'Bearer',
      'Bearer x',
      `Bearer ${accessToken}x`,
      `Basic ${accessToken}`,
      accessToken,
      `Bearer ${'x'.repeat(5000)}`,
    ];
    const refused = async (authorization: string) => {
      const answer = await server.anyone.get('/notes/a.md', { authorization });
      assert.deepEqual([answer.status, answer.body], [401, { error: 'unauthorized' }], authorization.slice(0, 20));
      const challenge = answer.headers.get('www-authenticate');
      assert.equal(challenge, `${none.headers.get('www-authenticate')}, error="invalid_token"`);
    };
    for (const authorization of garbled) await refused(authorization);
    assert.equal((await server.anyone.get('/notes/a.md', { authorization: `bearer ${accessToken}` })).status, 200);
    server.clock.advance({ minutes: 15, ms: 1 });
    await refused(`Bearer ${accessToken}`);
  });

  test('X-Vault-ID: malformed, unknown, foreign and deleted are one answer; absent is the default vault', async () => {
    await using notes = await start();
    const { server, alice } = notes;
    const bob = await notes.bob();
    await alice.write('a.md', 'in the first');
    const second = (await server.alice.post('/vaults', { name: 'Second' })).body.vault.id;
    const deleted = (await server.alice.post('/vaults', { name: 'Third' })).body.vault.id;
    await server.alice.delete(`/vaults/${deleted}`);
    for (const id of ['', 'x', `${alice.vault}0`, crypto.randomUUID(), bob.vault, deleted]) {
      for (const answer of [
        await alice.read('a.md', { 'x-vault-id': id }),
        await alice.put('a.md', {}, { 'x-vault-id': id }),
      ]) {
        assert.deepEqual([answer.status, answer.body], [404, { error: 'Vault not found' }], id);
      }
    }
    assert.equal((await alice.read('a.md', { 'x-vault-id': second })).body.error, 'not found');
    await alice.write('a.md', 'in the second', {}, { 'x-vault-id': second.toUpperCase() });
    assert.equal((await alice.read('a.md')).body.content, 'in the first');
    await server.alice.patch(`/vaults/${second}`, { is_default: true });
    assert.equal((await alice.read('a.md')).body.content, 'in the second');
    for (const id of [second, alice.vault]) await server.alice.delete(`/vaults/${id}`);
    const none = await alice.read('a.md');
    assert.deepEqual([none.status, none.body], [404, { error: 'No vault configured' }]);
  });

  test('another method, another route', async () => {
    const { alice, server } = await start();
    const { id } = await alice.write('a.md');
    const allowed: readonly [method: string, path: string, allow: string][] = [
      ['GET', '/notes', 'POST'],
      ['HEAD', '/notes', 'POST'],
      ['DELETE', '/notes', 'POST'],
      ['PUT', '/notes/a.md', 'DELETE, GET, HEAD'],
      ['POST', '/notes/folder/a.md', 'DELETE, GET, HEAD'],
      ['PATCH', `/notes/by-id/${id}`, 'DELETE, GET, HEAD'],
      ['DELETE', `/notes/by-id/${id}/backlinks`, 'GET, HEAD'],
      ...['/health', '/openapi', '/../healthz', '/../readyz', '/../.well-known/oauth-authorization-server'].map(
        (path): [string, string, string] => ['POST', path, 'GET, HEAD'],
      ),
    ];
    for (const [method, path, allow] of allowed) {
      const answer = await alice.caller.call(method, path, undefined, {});
      assert.deepEqual([answer.status, answer.headers.get('allow')], [405, allow], `${method} ${path}`);
      if (method !== 'HEAD') assert.deepEqual(answer.body, { error: 'method_not_allowed' });
    }
    for (const path of ['/nothing', '/note', '/']) {
      const answer = await server.anyone.get(path);
      assert.deepEqual([answer.status, answer.body], [404, { error: 'not_found' }]);
    }
    assert.equal((await server.alice.call('HEAD', '/notes/a.md', undefined, {})).status, 200);
  });

  test('every answer has its request id, refuses sniffing and scripts, and may be read from any origin', async () => {
    const { alice, server } = await start();
    const origin = { origin: 'https://app.example' };
    const answers = [
      await alice.put('a.md', {}, origin),
      await alice.read('b.md', origin),
      await server.anyone.get('/nothing', origin),
      await server.anyone.post('/notes', '{', { ...json, ...origin }),
      await alice.caller.get('/notes/%zz', origin),
    ];
    for (const { headers } of answers) {
      assert.match(headers.get('x-request-id') ?? '', /^[0-9a-f-]{36}$/);
      assert.equal(headers.get('x-content-type-options'), 'nosniff');
      assert.equal(headers.get('content-security-policy'), "default-src 'none'");
      assert.equal(headers.get('strict-transport-security'), null);
      // Nobody finds texts in the cache of a shared browser; what it keeps, it may show only after it asked.
      assert.match(headers.get('cache-control') ?? '', /^(no-store|private, no-cache)$/);
      assert.equal(headers.get('access-control-allow-origin'), '*');
      const exposed = headers.get('access-control-expose-headers')?.split(', ') ?? [];
      for (const name of ['x-request-id', 'retry-after', 'etag', 'www-authenticate']) assert.ok(exposed.includes(name));
    }
    const search = await alice.caller.post('/search', { query: 'a' });
    assert.deepEqual([search.status, search.headers.get('cache-control')], [200, 'no-store']);
    const kept = { 'x-request-id': 'From-client:1.2_3' };
    assert.equal((await alice.read('a.md', kept)).headers.get('x-request-id'), 'From-client:1.2_3');
    for (const id of ['with space', 'x'.repeat(129), 'é']) {
      assert.notEqual((await alice.read('a.md', { 'x-request-id': id })).headers.get('x-request-id'), id);
    }
    const asked = {
      ...origin,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'x-vault-id',
    };
    const preflight = await server.anyone.call('OPTIONS', '/notes', undefined, asked);
    assert.equal(preflight.status, 204);
    assert.match(preflight.headers.get('access-control-allow-methods') ?? '', /POST/);
    const taken = preflight.headers.get('access-control-allow-headers')?.split(', ') ?? [];
    for (const name of ['authorization', 'content-type', 'x-vault-id', 'x-device-id', 'x-idempotency-key']) {
      assert.ok(taken.includes(name), name);
    }
  });
});
