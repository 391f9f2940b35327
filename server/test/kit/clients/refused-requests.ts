import assert from 'node:assert/strict';
import { assertCatalogued, assertHeaders, exchange } from './raw-http.ts';

/** Sends a server what no client library sends, and checks that its answers are of the catalogue, with our headers. */
export async function assertRequestsRefused(url: string): Promise<void> {
  const login = `POST /api/auth/login HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\n`;
  const get = (target: string, headers = '') => `GET ${target} HTTP/1.1\r\nhost: a\r\n${headers}\r\n`;
  const upgrade = 'connection: upgrade\r\nupgrade: websocket\r\n';
  const key = 'sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n';
  const chunks = '2\r\n{}\r\n0\r\n\r\n';
  const cases: [about: string, bytes: string, status: number, error: string][] = [
    ['both lengths', `${login}content-length: 2\r\ntransfer-encoding: chunked\r\n\r\n${chunks}`, 400, 'bad_request'],
    ['two lengths', `${login}content-length: 2\r\ncontent-length: 3\r\n\r\n{}`, 400, 'bad_request'],
    ['a negative length', `${login}content-length: -1\r\n\r\n{}`, 400, 'bad_request'],
    ['another coding', `${login}transfer-encoding: gzip\r\n\r\n{}`, 400, 'bad_request'],
    ['coded chunks', `${login}transfer-encoding: gzip, chunked\r\n\r\n${chunks}`, 400, 'bad_request'],
    [
      'chunks in HTTP/1.0',
      `${login.replace('1.1', '1.0')}transfer-encoding: chunked\r\n\r\n${chunks}`,
      400,
      'bad_request',
    ],
    ['a chunk of no size', `${login}transfer-encoding: chunked\r\n\r\nzz\r\n`, 400, 'bad_request'],
    [
      'long chunk extensions',
      `${login}transfer-encoding: chunked\r\n\r\n2;${'x'.repeat(20_000)}\r\n`,
      400,
      'bad_request',
    ],
    ['many headers', get('/api/health', 'a:b\r\n'.repeat(4000)), 431, 'headers_too_large'],
    ['HTTP/2 in text', get('/api/health').replace('1.1', '2.0'), 400, 'bad_request'],
    ['HTTP/0.9', 'GET /api/health\r\n\r\n', 400, 'bad_request'],
    ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400, 'bad_request'],
    ['OPTIONS of the server', 'OPTIONS * HTTP/1.1\r\nhost: a\r\n\r\n', 404, 'not_found'],
    ['an absolute target', get('https://elsewhere.example/api/me'), 401, 'unauthorized'],
    ['a target without a slash', get('api/health'), 400, 'bad_request'],
    ['a trailing slash', get('/api/health/'), 404, 'not_found'],
    ['dots', get('/api/../healthz'), 404, 'not_found'],
    ['percent signs of nothing', get('/api/%zz'), 404, 'not_found'],
    ['a NUL', get('/api/%00'), 404, 'not_found'],
    ['a long path', get(`/api/${'x'.repeat(14_000)}`), 404, 'not_found'],
    ['a long parameter', get(`/api/vaults/${'x'.repeat(14_000)}`), 401, 'unauthorized'],
    ['another protocol', get('/api/sync/socket', 'connection: upgrade\r\nupgrade: h2c\r\n'), 426, 'upgrade_required'],
    ['a handshake without a key', get('/api/sync/socket', upgrade), 400, 'bad_request'],
    [
      'a handshake of an old version',
      get('/api/sync/socket', `${upgrade}${key}sec-websocket-version: 7\r\n`),
      400,
      'bad_request',
    ],
    ['a handshake elsewhere', get('/api/me', upgrade), 401, 'unauthorized'],
  ];
  for (const [about, bytes, status, error] of cases) {
    assertCatalogued(await exchange(url, bytes), status, error, about);
  }
  const spelled = await exchange(url, get('/api/%68ealth'));
  assert.equal(spelled?.status, 200);
  for (const [path, status] of [
    ['/api/health', 200],
    ['/healthz', 200],
    ['/api/me', 401],
    ['/api/nowhere', 404],
  ] as const) {
    const answer = await exchange(url, `HEAD ${path} HTTP/1.1\r\nhost: a\r\n\r\n`);
    assert.equal(answer?.status, status, path);
    assertHeaders(answer ?? assert.fail(), path);
  }
}
