import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { assertCatalogued, RawConnection } from '../../../test/kit/clients/raw-http.ts';
import { onSqlite } from '../../../test/kit/engines.ts';
import { startServer } from '../../../test/kit/server.ts';

onSqlite('a server that stops', (open) => {
  test('answers a new request on an open connection with unavailable, Retry-After and a request id', async () => {
    await using server = await startServer({ open });
    // Half a request keeps the connection from being idle.
    using connection = await RawConnection.open(server.url);
    connection.send('GET /api/health HTTP/1.1\r\nhost: a\r\n\r\n');
    assert.equal((await connection.next())?.status, 200);
    using other = await RawConnection.open(server.url);
    other.send('GET /api/health HTTP/1.1\r\nhost: a\r\n');
    // When the server answers what was sent later on another connection, it has read the half.
    connection.send('GET /api/health HTTP/1.1\r\nhost: a\r\n\r\n');
    assert.equal((await connection.next())?.status, 200);
    const http = await server.app.http();
    const stopped = http.close();
    while (http.server.listening) await nextTurn();
    other.send('\r\n');
    const answer = await other.next();
    assertCatalogued(answer, 503, 'unavailable');
    assert.match(answer?.headers.get('retry-after') ?? '', /^[1-9]\d*$/);
    assert.equal(answer?.headers.get('connection'), 'close');
    await other.closed();
    await stopped;
  });
});
