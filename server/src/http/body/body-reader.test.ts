import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { test } from 'node:test';
import { KB } from '@notevault/protocol/values/byte-units.ts';
import Fastify from 'fastify';
import { turns, until } from '../../../test/kit/until.ts';
import { errorHandler } from '../errors.ts';
import { type BodyLimits, parseBodies } from './body.ts';

const limits: BodyLimits = {
  bigBytes: KB,
  big: { units: 2, unitsPerTenant: 2, waiting: 32, waitingPerTenant: 32 },
  budgetBytes: 1024 * KB,
  budgetBytesOfOne: 1024 * KB,
  intervalMs: 10_000,
  bigBytesPerInterval: KB,
  workedFrom: KB,
  worked: { units: 1024 * KB, unitsPerTenant: 1024 * KB, waiting: 100, waitingPerTenant: 100 },
};

const jsonType = { 'content-type': 'application/json' };

/** A server with one route that returns the length of its body; its limits are small, so that tests reach them. */
async function serve(changed: Partial<BodyLimits> = {}) {
  const app = Fastify({ bodyLimit: 64 * KB });
  app.setErrorHandler(errorHandler('http://127.0.0.1'));
  app.removeAllContentTypeParsers();
  parseBodies(app, (request) => String(request.headers['x-tenant'] ?? 'alice'), { ...limits, ...changed });
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  app.post('/length', async (request) => ({ length: String(request.body).length }));
  app.post('/held', async () => held);
  app.post('/wide', { bodyLimit: 1024 * KB }, async (request) => ({ values: (request.body as unknown[]).length }));
  app.post('/keys', async (request) => ({ keys: Object.keys((request.body as { a: object }).a) }));
  const seen = { asked: 0, closed: 0 };
  const responses: ServerResponse[] = [];
  app.server.on('request', (_, response) => {
    seen.asked += 1;
    responses.push(response);
    response.once('close', () => {
      seen.closed += 1;
    });
  });
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  const json = { 'content-type': 'application/json' };
  const post = (path: string, length: number) =>
    fetch(url + path, { method: 'POST', headers: json, body: JSON.stringify('x'.repeat(length)) });
  return {
    app,
    url,
    post,
    release,
    /** Whether a request, counted from 0, has its answer. */
    isAnswered: (request: number) => responses[request]?.writableEnded === true,
    /** Resolves when this many requests in total have begun and been processed so far. */
    begun: async (count: number) => {
      await until(() => seen.asked >= count);
      await turns(10);
    },
    closed: async (count: number) => {
      await until(() => seen.closed >= count);
      await turns(10);
    },
    /** Starts a request whose body is not sent, except for `begun`. */
    open: async (length: number | 'chunked', begun = '', tenant = 'alice') => {
      const before = seen.asked;
      const socket = await open(url, length, begun, tenant);
      await until(() => seen.asked > before);
      await turns(10);
      return socket;
    },
    [Symbol.asyncDispose]: async () => {
      release();
      app.server.closeAllConnections();
      await app.close();
    },
  };
}

async function open(
  url: string,
  length: number | 'chunked',
  begun: string,
  tenant: string,
): Promise<Socket & AsyncIterable<Buffer>> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.on('error', () => {});
  await once(socket, 'connect');
  const size = length === 'chunked' ? 'transfer-encoding: chunked' : `content-length: ${length}`;
  const head = `host: a\r\nx-tenant: ${tenant}\r\ncontent-type: application/json\r\n${size}`;
  socket.write(`POST /length HTTP/1.1\r\n${head}\r\n\r\n${begun}`);
  return socket;
}

test('clients that hang up while they wait for a permit use none up', async () => {
  await using server = await serve();
  const inside = [await server.open(2 * KB), await server.open(2 * KB)];
  const waiting = [await server.open(2 * KB), await server.open(2 * KB), await server.open(2 * KB)];
  for (const socket of waiting) socket.destroy();
  await server.closed(3);
  for (const socket of inside) socket.destroy();
  for (let nth = 0; nth < 3; nth += 1) {
    assert.deepEqual(await (await server.post('/length', 4 * KB)).json(), { length: 4 * KB });
  }
});

test('waiting large bodies are read one by one, and beyond a bound refused', async () => {
  await using server = await serve({ big: { ...limits.big, waiting: 3 } });
  const inside = [await server.open(2 * KB), await server.open(2 * KB)];
  const answers = [1, 2, 3].map(() => server.post('/length', 4 * KB));
  await server.begun(5);
  const refused = await server.post('/length', 4 * KB);
  assert.deepEqual([refused.status, refused.headers.get('retry-after')], [503, '1']);
  assert.equal((await server.post('/length', 10)).status, 200, 'a small one needs no place');
  for (const socket of inside) socket.destroy();
  for (const answer of answers) assert.equal((await answer).status, 200);
});

test('a permit is released when the body is parsed, however long its answer takes', async () => {
  await using server = await serve();
  const held = [1, 2].map(() => server.post('/held', 4 * KB));
  await server.begun(2);
  assert.equal((await server.post('/length', 4 * KB)).status, 200);
  server.release();
  for (const answer of held) assert.equal((await answer).status, 200);
});

test('an account’s large bodies wait while its others are handled, and those of other accounts do not', async () => {
  await using server = await serve({ worked: { ...limits.worked, units: 16 * KB, unitsPerTenant: 8 * KB } });
  const held = server.post('/held', 6 * KB);
  await server.begun(1);
  let over = false;
  const waiting = server.post('/length', 4 * KB).finally(() => {
    over = true;
  });
  await server.begun(2);
  const json = { 'content-type': 'application/json', 'x-tenant': 'bob' };
  const others = { method: 'POST', headers: json, body: JSON.stringify('x'.repeat(4 * KB)) };
  assert.equal((await fetch(`${server.url}/length`, others)).status, 200);
  assert.equal((await server.post('/length', 500)).status, 200, 'a small one does not count');
  assert.equal(over, false);
  server.release();
  assert.deepEqual([(await held).status, (await waiting).status], [200, 200]);
  for (let nth = 0; nth < 5; nth += 1) {
    assert.equal((await server.post('/nowhere', 6 * KB)).status, 404, 'what is refused gives its bytes back');
  }
  assert.equal((await server.post('/length', 6 * KB)).status, 200);
});

test('a body with too many JSON values is refused while it arrives', async () => {
  await using server = await serve({ budgetBytes: 8 * 1024 * KB, budgetBytesOfOne: 8 * 1024 * KB });
  const send = async (body: string) => {
    const answer = await fetch(`${server.url}/wide`, { method: 'POST', headers: jsonType, body });
    return [answer.status, await answer.json()];
  };
  const refused = [413, { error: 'body_too_large', max_values: 100_000 }];
  assert.deepEqual(await send(`[${'[],'.repeat(100_000)}[]]`), refused);
  assert.deepEqual(await send(`[${'1,'.repeat(100_000)}1]`), refused);
  assert.deepEqual(await send(`${'['.repeat(100_000)}${']'.repeat(100_000)}`), refused);
  assert.deepEqual(await send(`[${'1,'.repeat(99_000)}1]`), [200, { values: 99_001 }]);
  const text = `\\"${',[{'.repeat(100_000)}"`;
  assert.deepEqual(await send(JSON.stringify([text])), [200, { values: 1 }], 'what stands in a text does not count');
});

test('body keys that would change a prototype are dropped, however they are written', async () => {
  await using server = await serve();
  for (const key of ['__proto__', '\\u005f_proto__', '_\\u005Fpr\\u006fto__', '__\\u0070roto__']) {
    const answer = await fetch(`${server.url}/keys`, { method: 'POST', headers: jsonType, body: `{"a":{"${key}":1}}` });
    assert.deepEqual(await answer.json(), { keys: [] }, key);
  }
});

test('a body over the limit is refused by its declared length, or as soon as it exceeds it', async () => {
  await using server = await serve();
  const declared = await server.post('/length', 64 * KB);
  assert.deepEqual([declared.status, await declared.json()], [413, { error: 'body_too_large', max: 64 * KB }]);
  const body = ReadableStream.from([Buffer.alloc(40 * KB), Buffer.alloc(40 * KB)]);
  const headers = { 'content-type': 'application/json' };
  const chunked = await fetch(`${server.url}/length`, { method: 'POST', headers, body, duplex: 'half' });
  assert.deepEqual([chunked.status, await chunked.json()], [413, { error: 'body_too_large', max: 64 * KB }]);
});

test('a client that is refused for the length of its body can continue to send and read the answer', async () => {
  await using server = await serve();
  const socket = await server.open(1024 * KB);
  assert.match(String((await once(socket, 'data'))[0]), /^HTTP\/1.1 413 (?!.*connection: close).*"body_too_large"/is);
  socket.write('x'.repeat(1024 * KB));
  socket.end('POST /length HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: 3\r\n\r\n"x"');
  assert.match(await answerOn(socket), /^HTTP\/1.1 200 .*{"length":1}/s, 'the connection goes on after it');
});

test('a body that stops arriving is cut off, and so is a slow one that keeps others waiting', async (t) => {
  // Long beside the trickle, which a busy machine delays.
  await using server = await serve({ intervalMs: 500 });
  const stalled = answerOn(await server.open(100, '"'));
  const slowAndSmall = await server.open(1000, '"');
  const inside = [await server.open(2 * KB, '"'), await server.open('chunked', '2\r\n"x\r\n')];
  const answers = inside.map(answerOn);
  let missing = 998;
  const trickle = setInterval(() => {
    slowAndSmall.write('x');
    missing -= 1;
    // A client that writes to a connection that is closed already does not read its answer.
    if (!server.isAnswered(2)) inside[0]?.write('x');
    if (!server.isAnswered(3)) inside[1]?.write('1\r\nx\r\n');
  }, 20);
  t.after(() => clearInterval(trickle));
  const waiting = server.post('/length', 4 * KB);
  for (const answer of [stalled, ...answers]) {
    assert.match(await answer, /^HTTP\/1.1 408 .*connection: close.*{"error":"request_timeout"}$/is);
  }
  assert.equal((await waiting).status, 200, 'their places are free');
  clearInterval(trickle);
  slowAndSmall.end(`${'x'.repeat(missing)}"`);
  assert.match(await answerOn(slowAndSmall), /^HTTP\/1.1 200 .*{"length":998}/s, 'a small one may take its time');
});

test('the bytes received of all bodies are bounded, whatever lengths they declare', async () => {
  await using server = await serve({ bigBytes: 64 * KB, budgetBytes: 40 * KB });
  const chunk = `${(10 * KB).toString(16)}\r\n${'x'.repeat(10 * KB)}\r\n`;
  const inside = [
    await server.open(20 * KB, 'x'.repeat(10 * KB)),
    await server.open('chunked', chunk),
    await server.open('chunked', chunk),
  ];
  const refused = await server.post('/length', 16 * KB);
  assert.deepEqual([refused.status, refused.headers.get('retry-after')], [503, '1']);
  for (const socket of inside) socket.destroy();
  await server.closed(4);
  for (let nth = 0; nth < 5; nth += 1) assert.equal((await server.post('/length', 16 * KB)).status, 200);
  const crumbs = await server.open('chunked', '1\r\nx\r\n'.repeat(200));
  assert.match(await answerOn(crumbs), /^HTTP\/1.1 503/, 'many small pieces take more memory than their bytes');
});

test('bodies that trickle give up memory to accounts that hold less, oldest first', async () => {
  await using server = await serve({ bigBytes: 64 * KB, budgetBytes: 44 * KB, budgetBytesOfOne: 24 * KB });
  const part = `"${'x'.repeat(10 * KB)}`;
  const sockets: Socket[] = [];
  for (const tenant of ['alice', 'bob', 'alice', 'bob']) sockets.push(await server.open(20 * KB, part, tenant));
  const trickling = sockets.map(answerOn);
  const more = await server.open(20 * KB, part, 'bob');
  assert.match(await answerOn(more), /^HTTP\/1.1 503/, 'an account over its share takes nothing from others');
  const headers = { ...jsonType, 'x-tenant': 'carol' };
  const other = { method: 'POST', headers, body: JSON.stringify('x'.repeat(16 * KB)) };
  assert.equal((await fetch(`${server.url}/length`, other)).status, 200);
  for (const answer of trickling.slice(0, 2)) assert.match(await answer, /^HTTP\/1.1 503 .*"unavailable"/is);
  for (const socket of sockets.slice(2)) socket.end(`${'x'.repeat(10 * KB - 2)}"`);
  for (const answer of trickling.slice(2)) assert.match(await answer, /^HTTP\/1.1 200 /);
});

/** Everything that the server sends until it closes the connection. */
async function answerOn(socket: AsyncIterable<Buffer>): Promise<string> {
  let text = '';
  for await (const chunk of socket) text += chunk;
  return text;
}
