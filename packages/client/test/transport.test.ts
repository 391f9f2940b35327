import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { deviceTokens, fixedToken, noToken, tokensFrom } from '../src/tokens.ts';
import { type ApiError, type Call, ConnectionError, encodedPath, Transport } from '../src/transport.ts';

type Answer = Response | Error;

/** Returns a server of its own, on a free port. */
async function listening(answer: RequestListener): Promise<AsyncDisposable & { readonly url: string }> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const close = () => new Promise<void>((resolve) => server.close(() => resolve()));
  return {
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await close();
    },
  };
}

/** Returns a transport whose server gives these answers in turn, with the requests it was sent and its delays. */
function scripted(answers: Answer[], tokens = fixedToken('nv_key_1'), url = 'https://notes.example.org') {
  const sent: { url: string; init: RequestInit; headers: Headers }[] = [];
  const waits: number[] = [];
  const transport = new Transport(url, tokens, {
    deviceId: 'desk',
    fetch: async (input, init) => {
      sent.push({ url: String(input), init, headers: new Headers(init.headers) });
      const answer = answers.shift();
      if (answer === undefined) throw new Error('the server was asked once too often');
      if (answer instanceof Error) throw answer;
      return answer;
    },
    sleep: async (ms) => {
      waits.push(ms);
    },
  });
  return { transport, sent, waits };
}

const ok = (body: unknown = {}) => Response.json(body);
const failed = (status: number, error: string, headers: Record<string, string> = {}) =>
  Response.json({ error }, { status, headers });
const post: Call = { method: 'POST', path: '/notes', json: { path: 'a.md' }, vault: 'v' };

test('Transport sends the credential, the vault and the device, and follows no redirect with them', async () => {
  const { transport, sent } = scripted([ok({ note: 1 })], undefined, 'https://notes.example.org/api/');
  assert.deepEqual(await transport.json(post), { note: 1 });
  const [{ url, init, headers } = assert.fail()] = sent;
  assert.equal(url, 'https://notes.example.org/api/notes');
  assert.equal(headers.get('authorization'), 'Bearer nv_key_1');
  assert.deepEqual([headers.get('x-vault-id'), headers.get('x-device-id')], ['v', 'desk']);
  assert.equal(init.redirect, 'manual');
});

test('Transport sends nothing to another host to which a server redirects, and says where that is', async () => {
  const reached: (string | undefined)[] = [];
  await using other = await listening((request, response) => {
    reached.push(request.headers.authorization);
    response.end('{}');
  });
  for (const status of [301, 302, 303, 307, 308]) {
    await using server = await listening((_, response) => {
      response.writeHead(status, { location: `${other.url}/api/notes` }).end();
    });
    const transport = new Transport(server.url, fixedToken('nv_key_1'), { sleep: () => assert.fail('no second try') });
    await assert.rejects(transport.json(post), (error: Error) => {
      assert.ok(error instanceof ConnectionError);
      assert.equal(error.message, `${server.url} redirects to ${other.url}: use that address`);
      return true;
    });
  }
  assert.deepEqual(reached, []);
});

test('Transport retries a transient failure with the same idempotency key, not before Retry-After', async () => {
  const { transport, sent, waits } = scripted([
    new TypeError('fetch failed'),
    failed(503, 'unavailable', { 'retry-after': '7' }),
    failed(429, 'rate_limited'),
    ok(),
  ]);
  await transport.json(post);
  const keys = sent.map(({ headers }) => headers.get('x-idempotency-key'));
  assert.equal(new Set(keys).size, 1);
  assert.match(keys[0] ?? '', /^[0-9a-f-]{36}$/);
  assert.equal(waits[1], 7000);
  assert.ok((waits[0] ?? 0) < 300 && (waits[2] ?? 0) >= 500);
});

test('Transport throws other errors at once, with the code and the request id of the server', async () => {
  const { transport, sent } = scripted([failed(409, 'version_conflict', { 'x-request-id': 'r1' })]);
  await assert.rejects(transport.json(post), (error: ApiError) => {
    assert.deepEqual([error.status, error.code, error.requestId], [409, 'version_conflict', 'r1']);
    return true;
  });
  assert.equal(sent.length, 1);
});

test('Transport gives up on an unreachable server after five attempts, or one if retries are not safe', async () => {
  const down = () => Array.from({ length: 5 }, () => new TypeError('fetch failed'));
  const often = scripted(down());
  await assert.rejects(often.transport.json(post), ConnectionError);
  assert.equal(often.sent.length, 5);
  const once = scripted(down());
  await assert.rejects(once.transport.json({ ...post, repeatable: false }), ConnectionError);
  assert.equal(once.sent.length, 1);
});

test('Transport replaces an expired token once for all requests under way, and a second 401 is final', async () => {
  let made = 0;
  const tokens = tokensFrom(async () => `t${++made}`);
  const { transport, sent } = scripted([failed(401, 'unauthorized'), ok(), ok()], tokens);
  await transport.json(post);
  await transport.json(post);
  assert.deepEqual(
    sent.map(({ headers }) => headers.get('authorization')),
    ['Bearer t1', 'Bearer t2', 'Bearer t2'],
  );
  const refused = scripted([failed(401, 'unauthorized'), failed(401, 'unauthorized')], tokens);
  await assert.rejects(refused.transport.json(post), { status: 401 });
  await assert.rejects(scripted([failed(401, 'unauthorized')]).transport.json(post), { status: 401 });
});

test('deviceTokens saves rotated tokens before it uses them', async () => {
  const log: string[] = [];
  const tokens = deviceTokens(
    { access_token: 'a1', refresh_token: 'r1' },
    async (refresh) => {
      log.push(`rotate ${refresh}`);
      return { access_token: 'a2', refresh_token: 'r2' };
    },
    async ({ refresh_token }) => {
      log.push(`save ${refresh_token}`);
    },
  );
  const { transport, sent } = scripted([failed(401, 'unauthorized'), ok()], tokens);
  await transport.json(post);
  assert.deepEqual(log, ['rotate r1', 'save r2']);
  assert.deepEqual(
    sent.map(({ headers }) => headers.get('authorization')),
    ['Bearer a1', 'Bearer a2'],
  );
});

test('encodedPath encodes a path segment by segment', () => {
  assert.equal(encodedPath('a b/100%/ü?.md'), 'a%20b/100%25/%C3%BC%3F.md');
});

test('bytes that are read while they are sent are given to upload, and collected without it', async () => {
  const sent: RequestInit[] = [];
  const fetch = async (_url: unknown, init: RequestInit = {}) => {
    sent.push(init);
    return Response.json({});
  };
  const read = async function* () {
    for (const piece of ['by', 'tes']) yield new TextEncoder().encode(piece);
  };
  const upload = () => ({ body: 'a stream' });
  for (const options of [{ fetch, upload }, { fetch }])
    await new Transport('http://localhost', noToken, options).send({ method: 'PUT', path: '/a', bytes: read });
  const [streamed, collected] = sent;
  assert.equal(streamed?.body, 'a stream');
  assert.equal(await new Response(collected?.body ?? null).text(), 'bytes');
});
