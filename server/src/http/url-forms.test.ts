import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request } from 'node:http';
import { test } from 'node:test';
import { onSqlite } from '../../test/kit/engines.ts';
import { startNotes } from '../../test/kit/notes.ts';
import { startServer } from '../../test/kit/server.ts';

onSqlite('percent-encoded URLs', (open) => {
  test('percent-encoded URLs name exactly the note that they encode', async () => {
    await using notes = await startNotes({ open });
    const { alice, server } = notes;
    // Paths that remained when the first nine characters of a longer prefix were cut off.
    for (const path of ['foo.md', 's/foo.md', 'es/foo.md', 'otes/foo.md']) await alice.write(path);
    assert.equal((await server.alice.delete('/%6Eotes/foo.md')).status, 200);
    assert.equal((await alice.read('foo.md')).status, 404);
    assert.equal((await server.alice.get('/n%6ftes/s%2Ffoo.md')).body.path, 's/foo.md');
    for (const path of ['s/foo.md', 'es/foo.md', 'otes/foo.md']) assert.equal((await alice.read(path)).status, 200);
  });

  test('work as absolute URLs too', async () => {
    await using notes = await startNotes({ open });
    await notes.alice.write('a/foo.md');
    const { accessToken } = await notes.server.alice.signed();
    const { hostname, port } = new URL(notes.server.url);
    const path = 'http://notes.example.org/api/notes/a/foo.md';
    const [answer] = await once(
      request({ hostname, port, path, headers: { authorization: `Bearer ${accessToken}` } }).end(),
      'response',
    );
    answer.resume();
    assert.equal(answer.statusCode, 200);
  });

  test('percent-encoded URLs do not let pages of other origins use the cookie', async () => {
    await using server = await startServer({ open });
    const origin = 'https://elsewhere.example.org';
    for (const path of ['/auth/refresh', '/auth/%72efresh', '/%61uth/logout']) {
      const answer = await server.anyone.post(path, undefined, { origin });
      assert.deepEqual([answer.status, answer.body], [403, { error: 'foreign_origin' }], path);
      assert.equal(answer.headers.get('access-control-allow-origin'), null, path);
      const headers = { origin, 'access-control-request-method': 'POST' };
      const preflight = await server.anyone.call('OPTIONS', path, undefined, headers);
      assert.equal(preflight.headers.get('access-control-allow-origin'), null, path);
    }
    for (const path of ['/auth/login', '/%61uth/login', '/nowhere']) {
      const answer = await server.anyone.post(path, undefined, { origin });
      assert.equal(answer.headers.get('access-control-allow-origin'), '*', path);
    }
  });
});
