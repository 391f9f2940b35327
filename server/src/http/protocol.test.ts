import assert from 'node:assert/strict';
import { METHODS } from 'node:http';
import { test } from 'node:test';
import { assertCatalogued, exchange, RawConnection } from '../../test/kit/clients/raw-http.ts';
import { assertRequestsRefused } from '../../test/kit/clients/refused-requests.ts';
import { onSqlite } from '../../test/kit/engines.ts';
import { startServer } from '../../test/kit/server.ts';

const JSON_BODY = 'content-type: application/json';

onSqlite('HTTP protocol rules', (open) => {
  test('every method that Node parses gets 405 with Allow on a path without it, and 404 elsewhere', async () => {
    await using server = await startServer({ open });
    const paths = [
      ['/api/notes', 'POST'],
      ['/api/notes/some/note.md', 'DELETE, GET, HEAD'],
      ['/api/health', 'GET, HEAD'],
      ['/api/sync/socket', 'GET, HEAD'],
      ['/healthz', 'GET, HEAD'],
      ['/oauth/token', 'POST'],
      ['/link', 'GET, POST'],
      ['/.well-known/oauth-authorization-server', 'GET, HEAD'],
    ] as const;
    for (const [path, allow] of paths) {
      const others = METHODS.filter((method) => !['CONNECT', ...allow.split(', ')].includes(method));
      assert.ok(others.includes('PROPFIND') && others.includes('QUERY'));
      for (const method of others) {
        const answer = await exchange(server.url, `${method} ${path} HTTP/1.1\r\nhost: a\r\n\r\n`);
        const about = `${method} ${path}`;
        if (method === 'OPTIONS' && answer?.status === 204) continue;
        if (method === 'HEAD') assert.equal(answer?.status, 405, about);
        else assertCatalogued(answer, 405, 'method_not_allowed', about);
        assert.equal(answer?.headers.get('allow'), allow, about);
      }
    }
    for (const method of ['PROPFIND', 'QUERY', 'TRACE', 'PURGE']) {
      const answer = await exchange(server.url, `${method} /api/nowhere HTTP/1.1\r\nhost: a\r\n\r\n`);
      assertCatalogued(answer, 404, 'not_found', method);
    }
    const tunnel = await exchange(server.url, 'CONNECT example.org:443 HTTP/1.1\r\nhost: example.org:443\r\n\r\n');
    assertCatalogued(tunnel, 404, 'not_found', 'CONNECT');
  });

  test('answers ask browsers for https from then on if that is the public address', async () => {
    await using server = await startServer({ open, config: { publicUrl: 'https://notes.example' } });
    for (const path of ['/api/health', '/api/nowhere', '/healthz']) {
      const answer = await exchange(server.url, `GET ${path} HTTP/1.1\r\nhost: a\r\n\r\n`);
      assert.equal(answer?.headers.get('strict-transport-security'), 'max-age=31536000', path);
    }
  });

  test('HTTP/1.1 without a host, with two, or with an invalid one gets 400', async () => {
    await using server = await startServer({ open });
    const line = 'GET /api/health HTTP/1.1\r\n';
    for (const hosts of [
      '',
      'host: a\r\nhost: b\r\n',
      'host: a\r\nHOST: a\r\n',
      'host: a b\r\n',
      'host: a/b\r\n',
      'host: a:b\r\n',
      'host: a, b\r\n',
      'host: user@a\r\n',
      'upgrade: websocket\r\nconnection: upgrade\r\n',
    ]) {
      const refused = await exchange(server.url, `${line}${hosts}\r\n`);
      assertCatalogued(refused, 400, 'bad_request', hosts);
    }
    for (const host of ['', 'a', 'a.example.org:4100', '127.0.0.1', '[::1]:4100', '[fe80::1%25en0]', 'b%C3%BCro']) {
      assert.equal((await exchange(server.url, `${line}host: ${host}\r\n\r\n`))?.status, 200, host);
    }
    // HTTP/1.0 has no Host header.
    assert.equal((await exchange(server.url, 'GET /api/health HTTP/1.0\r\n\r\n'))?.status, 200);
  });

  test('an expectation other than 100-continue gets 417', async () => {
    await using server = await startServer({ open });
    const asked = 'GET /api/health HTTP/1.1\r\nhost: a\r\nexpect: miracles\r\n\r\n';
    assertCatalogued(await exchange(server.url, asked), 417, 'expectation_failed');
  });

  test('100 Continue is sent after credentials, route and length are checked, and not before', async () => {
    await using server = await startServer({ open });
    const { accessToken: token } = await server.alice.signed();
    await server.alice.post('/vaults', { name: 'one' });
    const bearer = `authorization: Bearer ${token}`;
    const refused: [line: string, headers: string[], status: number, error: string][] = [
      ['POST /api/notes', [JSON_BODY], 401, 'unauthorized'],
      ['PUT /api/attachments/a.png', [], 401, 'unauthorized'],
      ['POST /api/nowhere', [JSON_BODY], 404, 'not_found'],
      ['PUT /api/notes', [JSON_BODY], 405, 'method_not_allowed'],
      ['POST /api/notes', [bearer, 'content-type: text/plain'], 415, 'unsupported_media_type'],
      ['POST /oauth/token', ['content-length: 99999'], 413, 'body_too_large'],
    ];
    for (const [line, headers, status, error] of refused) {
      const length = headers.some((header) => header.startsWith('content-length')) ? [] : ['content-length: 100'];
      const head = ['host: a', 'expect: 100-continue', ...headers, ...length].join('\r\n');
      assertCatalogued(await exchange(server.url, `${line} HTTP/1.1\r\n${head}\r\n\r\n`), status, error, line);
    }
    const note = JSON.stringify({ path: 'a.md', content: 'invited', mtime: 1 });
    const sent: [line: string, header: string, body: string, status: number][] = [
      ['POST /api/notes', JSON_BODY, note, 200],
      ['PUT /api/attachments/a.txt', 'content-type: text/plain', 'some text', 200],
      ['POST /oauth/token', 'content-type: application/x-www-form-urlencoded', 'grant_type=none', 400],
    ];
    for (const [line, header, body, status] of sent) {
      using connection = await RawConnection.open(server.url);
      const head = ['host: a', 'expect: 100-continue', bearer, header, `content-length: ${body.length}`].join('\r\n');
      connection.send(`${line} HTTP/1.1\r\n${head}\r\n\r\n`);
      assert.equal((await connection.next())?.status, 100, line);
      connection.send(body);
      assert.equal((await connection.next())?.status, status, line);
    }
  });

  test('invalid framing, targets and upgrades get answers of the catalogue with the common headers', async () => {
    await using server = await startServer({ open });
    await assertRequestsRefused(server.url);
    // Where there is a web app, that is its page.
    const answer = await exchange(server.url, 'GET http://elsewhere.example HTTP/1.1\r\nhost: a\r\n\r\n');
    assertCatalogued(answer, 404, 'not_found', 'an absolute target without a path');
  });

  test('bytes that cannot be parsed after a whole request never pass for the answer to that request', async () => {
    await using server = await startServer({ open });
    using connection = await RawConnection.open(server.url);
    connection.send('GET /healthz HTTP/1.1\r\nhost: a\r\n\r\nGARBAGE\r\n\r\n');
    const first = await connection.next();
    assert.deepEqual([first?.status, first?.body], [200, '{"status":"ok"}']);
    assertCatalogued(await connection.next(), 400, 'bad_request');
    await connection.closed();
  });
});
