import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import WebSocket from 'ws';
import { onSqlite } from '../../kit/engines.ts';
import { oneServer, startServer, type TestServer } from '../../kit/server.ts';

const APP = ['app://obsidian.md', 'capacitor://localhost', 'http://localhost'];

/** The origin that an answer, and that to its preflight, allows. */
async function allowed({ alice, anyone }: TestServer, origin: string): Promise<(string | null)[]> {
  const asking = { origin, 'access-control-request-method': 'PATCH' };
  const preflight = await anyone.call('OPTIONS', '/uploads/x', undefined, asking);
  const answer = await alice.get('/vaults', { origin });
  assert.equal(answer.status, 200);
  return [preflight, answer].map(({ headers }) => headers.get('access-control-allow-origin'));
}

onSqlite('origins of the Obsidian app', (open) => {
  const start = oneServer(() => ({ open }));

  test('may call the API and its sockets with a credential, also beside others that are listed', async () => {
    for (const corsOrigins of [['*'], ['https://notes.example']]) {
      await using server = await startServer({ open, config: { corsOrigins } });
      const expected = (origin: string) => (corsOrigins.includes('*') ? '*' : origin);
      for (const origin of [...APP, 'https://notes.example']) {
        assert.deepEqual(await allowed(server, origin), [expected(origin), expected(origin)]);
        const socket = new WebSocket(`${server.url.replace('http', 'ws')}/api/sync/socket`, { origin });
        await once(socket, 'open');
        socket.close();
      }
      const other = await allowed(server, 'https://evil.example');
      assert.deepEqual(other, corsOrigins.includes('*') ? ['*', '*'] : [null, null]);
    }
  });

  test('are told what slices need, and read it in the answers', async () => {
    await using server = await start();
    const asking = { origin: APP[0] ?? '', 'access-control-request-method': 'PATCH' };
    const { headers, status } = await server.anyone.call('OPTIONS', '/uploads', undefined, asking);
    assert.equal(status, 204);
    const listed = (name: string) => (headers.get(name) ?? '').toLowerCase().split(', ');
    for (const method of ['patch', 'head', 'post', 'delete']) {
      assert.ok(listed('access-control-allow-methods').includes(method), method);
    }
    for (const name of ['tus-resumable', 'upload-length', 'upload-offset', 'upload-metadata', 'upload-checksum']) {
      assert.ok(listed('access-control-allow-headers').includes(name), name);
    }
    for (const name of ['location', 'tus-resumable', 'upload-offset', 'upload-length', 'upload-expires']) {
      assert.ok(listed('access-control-expose-headers').includes(name), name);
    }
  });

  test('may use no cookie, and none at all where none is configured', async () => {
    await using server = await start();
    const { refreshToken } = await server.alice.signed();
    for (const origin of APP) {
      const cookie = { origin, cookie: `refresh_token=${refreshToken}` };
      for (const path of ['/auth/refresh', '/auth/logout']) {
        const { status, headers, body } = await server.anyone.post(path, {}, cookie);
        assert.deepEqual([status, body.error], [403, 'foreign_origin']);
        assert.equal(headers.get('access-control-allow-origin'), null);
      }
      assert.equal(
        (await server.alice.get('/vaults', { origin })).headers.get('access-control-allow-credentials'),
        null,
      );
    }
    await using closed = await startServer({ open, config: { corsOrigins: ['none'] } });
    for (const origin of APP) assert.deepEqual(await allowed(closed, origin), [null, null]);
    await using other = await startServer({ open, config: { corsOrigins: ['none', 'https://notes.example'] } });
    assert.deepEqual(await allowed(other, APP[0] ?? ''), [null, null]);
    assert.deepEqual(await allowed(other, 'https://notes.example'), ['https://notes.example', 'https://notes.example']);
  });
});
