import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertCatalogued, RawConnection } from '../../kit/clients/raw-http.ts';
import { onSqlite } from '../../kit/engines.ts';
import { startServer } from '../../kit/server.ts';
import { until } from '../../kit/until.ts';

/** Maximum concurrent requests per account, from the first byte to the end of the answer. */
const REQUESTS_PER_ACCOUNT = 500;

onSqlite('the shares of accounts over HTTP', (open) => {
  test('an account beyond its share of requests gets 503 with Retry-After, and others do not', async () => {
    await using server = await startServer({ open });
    const { alice, bob } = server;
    await alice.post('/vaults', { name: 'Notes' });
    await bob.post('/vaults', { name: 'Notes' });
    const { accessToken } = await alice.signed();
    const note = JSON.stringify({ path: 'a.md', content: 'x', mtime: 1 });
    const headers = ['host: a', `authorization: Bearer ${accessToken}`, 'content-type: application/json'];
    const lines = ['POST /api/notes HTTP/1.1', ...headers, 'expect: 100-continue', `content-length: ${note.length}`];
    await using open500 = new AsyncDisposableStack();
    const waiting: RawConnection[] = [];
    for (let count = 0; count < REQUESTS_PER_ACCOUNT; count++) {
      const connection = open500.use(await RawConnection.open(server.url));
      connection.send(`${lines.join('\r\n')}\r\n\r\n`);
      waiting.push(connection);
    }
    // Each request is admitted, so the server asks for its body.
    for (const connection of waiting) assert.equal((await connection.next())?.status, 100);

    using over = await RawConnection.open(server.url);
    over.send(`GET /api/me HTTP/1.1\r\n${headers.join('\r\n')}\r\n\r\n`);
    const refused = await over.next();
    assertCatalogued(refused, 503, 'unavailable');
    assert.match(refused?.headers.get('retry-after') ?? '', /^[1-9]\d*$/);
    assert.equal((await bob.get('/me')).status, 200);
    assert.equal((await bob.post('/notes', JSON.parse(note))).status, 200);

    for (const connection of waiting) connection.send(note);
    for (const connection of waiting) assert.equal((await connection.next())?.status, 200);
    await until(async () => (await alice.get('/me')).status === 200, 'the share is free again');
  });
});
