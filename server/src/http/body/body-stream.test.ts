import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { test } from 'node:test';
import Fastify from 'fastify';
import { FairSemaphore } from '../../concurrency/semaphore.ts';
import { closedSignal } from '../connections/closed-signal.ts';
import { errorHandler } from '../errors.ts';
import { bodyStreamOf, leaveBodiesUnread, type StreamThroughput } from './body-stream.ts';

const limits = { units: 32, unitsPerTenant: 8, waiting: 128, waitingPerTenant: 64 };
const slow: StreamThroughput = { intervalMs: 60_000, bytesPerInterval: 1 };

/**
 * A server with one route that counts the bytes of its body while they arrive, and reports how reading each body ended.
 */
async function serve(pace: StreamThroughput, places = new FairSemaphore(limits)) {
  const app = Fastify({ forceCloseConnections: true });
  app.setErrorHandler(errorHandler('http://127.0.0.1'));
  leaveBodiesUnread(app);
  const ended: Promise<string>[] = [];
  const count = async (request: Parameters<typeof bodyStreamOf>[0]) => {
    using incoming = bodyStreamOf(request, 'application/octet-stream', pace);
    let bytes = 0;
    for await (const chunk of incoming.bytes) bytes += chunk.length;
    return { bytes };
  };
  app.put('/', (request) => {
    const counting = places.run('alice', () => count(request), 1, closedSignal(request.raw));
    ended.push(
      counting.then(
        ({ bytes }) => `${bytes} bytes`,
        (error) => error.code,
      ),
    );
    return counting;
  });
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  return { url, ended, [Symbol.asyncDispose]: () => app.close() };
}

async function open(url: string, headers: string, begun: string): Promise<Socket & AsyncIterable<Buffer>> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.on('error', () => {});
  await once(socket, 'connect');
  socket.write(`PUT / HTTP/1.1\r\nhost: a\r\n${headers}\r\n\r\n${begun}`);
  return socket;
}

async function answerOf(socket: AsyncIterable<Buffer>): Promise<string> {
  for await (const chunk of socket) return chunk.toString();
  return '';
}

const begun = async (ended: readonly unknown[], count: number) => {
  while (ended.length < count) await new Promise((resolve) => setImmediate(resolve));
};

test('streamed bodies of any type and length arrive whole, empty ones too', async () => {
  await using server = await serve(slow);
  for (const [body, type] of [
    ['x'.repeat(300_000), 'text/plain'],
    ['{"half":', 'application/json'],
    ['', 'image/png'],
  ] as const) {
    const answer = await fetch(server.url, { method: 'PUT', headers: { 'content-type': type }, body });
    assert.deepEqual(await answer.json(), { bytes: body.length });
  }
  const untyped = await open(server.url, 'content-length: 3', 'abc');
  assert.match(await answerOf(untyped), /\{"bytes":3\}$/);
  const chunked = await open(server.url, 'transfer-encoding: chunked', '2\r\nab\r\n3\r\ncde\r\n0\r\n\r\n');
  assert.match(await answerOf(chunked), /\{"bytes":5\}$/);
});

test('a streamed body that stops arriving is cut off with an answer', async () => {
  await using server = await serve({ intervalMs: 20, bytesPerInterval: 5 });
  const socket = await open(server.url, 'content-length: 1000', 'abc');
  assert.match(await answerOf(socket), /^HTTP\/1.1 408 [\s\S]*"request_timeout"/);
});

test('a client that declares more bytes than it sends, and hangs up, gets bad_request', async () => {
  await using server = await serve(slow);
  const socket = await open(server.url, 'content-length: 1000', 'abc');
  await begun(server.ended, 1);
  socket.destroy();
  assert.equal(await server.ended[0], 'bad_request');
  // The client declared more, but closed its side properly: Node itself answers this case.
  const half = await open(server.url, 'content-length: 1000', 'abc');
  await begun(server.ended, 2);
  half.end();
  assert.equal(await server.ended[1], 'bad_request');
});

test('only a few streamed bodies of one account are read at once, others wait, and too many are refused', async () => {
  const bounds = { units: 2, unitsPerTenant: 2, waiting: 1, waitingPerTenant: 1 };
  await using server = await serve(slow, new FairSemaphore(bounds));
  const inside = [await open(server.url, 'content-length: 2', 'a'), await open(server.url, 'content-length: 2', 'a')];
  await begun(server.ended, 2);
  const waiting = await open(server.url, 'content-length: 1', 'a');
  await begun(server.ended, 3);
  const refused = await open(server.url, 'content-length: 1', 'a');
  assert.match(await answerOf(refused), /^HTTP\/1.1 503 /);
  inside[0]?.write('b');
  assert.match(await answerOf(waiting), /\{"bytes":1\}$/);
  inside[1]?.write('b');
  assert.deepEqual(await Promise.all(server.ended.slice(0, 3)), ['2 bytes', '2 bytes', '1 bytes']);
  for (const socket of [...inside, waiting, refused]) socket.destroy();
});
