import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';
import { onSqlite } from '../../../test/kit/engines.ts';
import { startServer, type TestServer } from '../../../test/kit/server.ts';

const json = 'content-type: application/json\r\n';

/** Sends bytes and resolves to the answer until the server closes, or until `enough` matches it. */
async function say(server: TestServer, bytes: string, enough = /$^/): Promise<string> {
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
  await once(socket, 'connect');
  socket.write(bytes);
  let text = '';
  for await (const chunk of socket) {
    text += chunk;
    if (enough.test(text)) break;
  }
  return text;
}

onSqlite('requests without a handler', (open) => {
  test('requests without a handler get an answer in the usual shape when their HTTP is broken', async () => {
    await using server = await startServer({ open });
    const cases: readonly [bytes: string, status: string, error: string][] = [
      ['GET /api/health HTTP/1.1\r\nhost: a\r\nno colon\r\n\r\n', '400 Bad Request', 'bad_request'],
      ['nonsense\r\n\r\n', '400 Bad Request', 'bad_request'],
      [
        `GET /api/health HTTP/1.1\r\nhost: a\r\nx: ${'x'.repeat(17_000)}\r\n\r\n`,
        '431 Request Header Fields Too Large',
        'headers_too_large',
      ],
    ];
    for (const [bytes, status, error] of cases) {
      const [head = '', body = ''] = (await say(server, bytes)).split('\r\n\r\n');
      assert.ok(head.startsWith(`HTTP/1.1 ${status}\r\n`), head);
      assert.deepEqual(JSON.parse(body), { error });
      assert.match(head, /\r\nx-request-id: [\w-]{36}\r\n/);
      assert.match(head, /\r\nx-content-type-options: nosniff\r\n/);
      assert.match(head, /\r\ncontent-security-policy: default-src 'none'\r\n/);
      assert.match(head, /\r\nconnection: close/);
    }
  });

  test('requests without a handler get the answer of an unknown route before their body has arrived', async () => {
    await using server = await startServer({ open });
    const body = `host: a\r\n${json}content-length: 1000\r\n\r\n{`;
    for (const [line, status] of [
      ['POST /api/nowhere', 404],
      ['POST /nowhere', 404],
      ['PROPFIND /api/nowhere', 404],
      ['PROPFIND /api/notes', 405],
      ['OPTIONS /api/auth/refresh', 405],
      ['PUT /api/auth/login', 405],
    ] as const) {
      const answer = await say(server, `${line} HTTP/1.1\r\n${body}`, /\}$/);
      assert.match(answer, new RegExp(`^HTTP/1.1 ${status} `), line);
    }
    const preflight = { origin: 'https://elsewhere.example.org', 'access-control-request-method': 'POST' };
    assert.equal((await server.anyone.call('OPTIONS', '/notes', undefined, preflight)).status, 204);
  });

  test('requests without a handler may send no more than 16 KB without an account', async () => {
    await using server = await startServer({ open });
    const big = { email: 'a@example.org', password: 'x'.repeat(16 * 1024) };
    for (const path of ['/auth/login', '/auth/register', '/auth/refresh']) {
      const { status, body } = await server.anyone.post(path, big);
      assert.deepEqual([status, body], [413, { error: 'body_too_large', max: 16 * 1024 }], path);
    }
  });
});
