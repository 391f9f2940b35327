/** Limits of sockets, before and after they present a credential. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { test } from 'node:test';
import Fastify, { type FastifyBaseLogger } from 'fastify';
import { RawSocket } from '../../../test/kit/clients/raw-socket.ts';
import { turns, until } from '../../../test/kit/until.ts';
import { createLogger } from '../../telemetry/telemetry.ts';
import { errorHandler } from '../errors.ts';
import type { Connection } from './connection.ts';
import type { SocketLimits } from './socket-limits.ts';
import { handleUpgrades, mayUpgrade, mountSocket, Sockets, socketRoute, type UpgradeRequest } from './sockets.ts';

/** A server whose only endpoint echoes messages and records the upgrade requests. */
async function echoServer(
  limits: Partial<SocketLimits> = {},
  loggerInstance: FastifyBaseLogger = createLogger('silent'),
) {
  const app = Fastify({ http: { shouldUpgradeCallback: mayUpgrade }, loggerInstance });
  app.setErrorHandler(errorHandler('http://localhost/metadata'));
  const seen = {
    peers: [] as Connection[],
    knocks: [] as UpgradeRequest[],
    heard: [] as Uint8Array[],
    pings: 0,
    closed: 0,
    ticks: 0,
  };
  const sockets = new Sockets(() => {
    seen.ticks += 1;
  }, limits);
  handleUpgrades(app, sockets);
  const route = socketRoute({
    path: '/echo',
    operation: 'syncSocket',
    summary: 'Echo',
    description: 'Says back what it hears.',
    open(connection, knock) {
      seen.peers.push(connection);
      seen.knocks.push(knock);
      return {
        message(data) {
          seen.heard.push(data);
          if (data[0] === 1) connection.admit('alice');
          else connection.send(data);
        },
        ping: () => {
          seen.pings += 1;
        },
        closed: () => {
          seen.closed += 1;
        },
      };
    },
  });
  mountSocket(app, route, sockets);
  app.get('/plain', async () => 'plain');
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as AddressInfo;
  const opened: RawSocket[] = [];
  return {
    app,
    sockets,
    seen,
    url: `http://127.0.0.1:${port}`,
    port,
    async open(path = '/echo', headers = {}) {
      const socket = await RawSocket.open(`http://127.0.0.1:${port}`, path, headers);
      opened.push(socket);
      return socket;
    },
    tick(times: number) {
      for (let at = 0; at < times; at++) sockets.tick();
    },
    async [Symbol.asyncDispose]() {
      for (const socket of opened) socket[Symbol.dispose]();
      await app.close();
    },
  };
}

const ADMIT = 1;

test('[10.1] a socket echoes messages, and its endpoint learns the token and address, which are not logged', async () => {
  const logged: string[] = [];
  const log = createLogger('trace', { write: (line) => logged.push(line) });
  await using server = await echoServer({}, log);
  const socket = await server.open('/echo?token=secret', { authorization: 'Bearer x', 'user-agent': 'test' });
  socket.send(7, 8, 9);
  await until(() => socket.frames.length === 1);
  assert.deepEqual([...(socket.frames[0] ?? [])], [7, 8, 9]);
  const [{ params: _none, ...knock } = {}] = server.seen.knocks;
  assert.deepEqual(knock, { ip: '127.0.0.1', userAgent: 'test', authorization: 'Bearer x', token: 'secret' });
  await assert.rejects(server.open('/nowhere?token=secret', { authorization: 'Bearer secret' }), /404/);
  assert.ok(logged.length > 0);
  assert.doesNotMatch(logged.join(''), /secret/);
});

test('a socket endpoint without an upgrade answers 426, and ignores an upgrade to anything else', async () => {
  await using server = await echoServer();
  const answer = await fetch(`${server.url}/echo`);
  assert.equal(answer.status, 426);
  assert.equal(answer.headers.get('upgrade'), 'websocket');
  assert.equal(((await answer.json()) as { error: string }).error, 'upgrade_required');
  const h2c = await fetch(`${server.url}/plain`, { headers: { 'x-a': 'b' } });
  assert.equal(await h2c.text(), 'plain');
  const raw = connect(server.port, '127.0.0.1');
  raw.write('GET /plain HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\nUpgrade: h2c\r\n\r\n');
  assert.match(String((await once(raw, 'data'))[0]), /^HTTP\/1\.1 200/);
  raw.destroy();
});

test('an upgrade with an invalid handshake is answered as a request, and its connection ends', async () => {
  await using server = await echoServer();
  await assert.rejects(server.open('/nowhere'), /answered 404/);
  await assert.rejects(server.open('/plain'), /answered 200/);
  const raw = connect(server.port, '127.0.0.1');
  raw.write('GET /echo HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n');
  assert.match(String((await once(raw, 'data'))[0]), /^HTTP\/1\.1 400/);
  await once(raw, 'close');
});

test('[9.12] sockets without a credential are limited by address and in total; others do not count', async () => {
  await using server = await echoServer({ anonymousPerAddress: 2, anonymous: 3 });
  const first = await server.open();
  await server.open();
  await assert.rejects(server.open(), /answered 503/);
  first.send(ADMIT);
  await until(() => server.seen.heard.length === 1);
  const third = await server.open();
  await assert.rejects(server.open(), /answered 503/);
  third[Symbol.dispose]();
  await until(() => server.seen.closed === 1);
  await server.open();
});

test('[9.12] bytes before a credential are limited, in whatever frames; after it, more are allowed', async () => {
  await using server = await echoServer({ anonymousBytes: 10_000 });
  const whole = await server.open();
  whole.send(new Uint8Array(20_000));
  await whole.ended();
  const pieces = await server.open();
  for (let at = 0; at < 30; at++) pieces.ws.send(new Uint8Array(500), { fin: false });
  await pieces.ended();
  assert.equal(server.seen.heard.length, 0);
  const known = await server.open();
  known.send(ADMIT);
  await until(() => server.seen.heard.length === 1);
  known.send(new Uint8Array(20_000));
  await until(() => known.frames.length === 1);
});

test('[9.12] a socket without a credential is closed in time, whatever it sends', async () => {
  await using server = await echoServer({ anonymousTicks: 3 });
  const stranger = await server.open();
  const known = await server.open();
  known.send(ADMIT);
  await until(() => server.seen.heard.length === 1);
  server.tick(2);
  stranger.send(5);
  await until(() => stranger.frames.length === 1);
  server.tick(1);
  assert.deepEqual(await stranger.ended(), { code: 1008, reason: 'no credential in time' });
  assert.equal(known.closed, null);
});

test('text and too large frames end only their own socket', async () => {
  await using server = await echoServer({ frameBytes: 1000 });
  const [words, large, good] = [await server.open(), await server.open(), await server.open()];
  words.ws.send('words');
  assert.equal((await words.ended()).code, 1003);
  large.send(new Uint8Array(1001));
  assert.equal((await large.ended()).code, 1009);
  good.send(9);
  await until(() => good.frames.length === 1);
});

test('bytes that are no WebSocket frame end only their own socket', async () => {
  await using server = await echoServer();
  const good = await server.open();
  for (const garbage of [
    '\xff\xff\xff\xff\xff\xff',
    '\x82\xff\xff\xff\xff\xff\xff\xff\xff\xff',
    'GET / HTTP/1.1\r\n\r\n',
  ]) {
    const socket = await server.open();
    (socket.ws as unknown as { _socket: Socket })._socket.write(Buffer.from(garbage, 'latin1'));
    await socket.ended();
  }
  good.send(9);
  await until(() => good.frames.length === 1);
});

test('[9.12] a reader that does not read is disconnected, and costs no more than the limit', async () => {
  await using server = await echoServer({ backlogBytes: 1_000_000, closingTicks: 2 });
  const slow = await server.open();
  slow.send(ADMIT);
  await until(() => server.seen.heard.length === 1);
  slow.ws.pause();
  const [connection] = server.seen.peers;
  const frame = new Uint8Array(100_000);
  for (let at = 0; at < 200; at++) connection?.send(frame);
  assert.equal(server.seen.closed, 1, 'the door is told at once');
  server.tick(2);
  await until(() => server.sockets.size === 0);
  slow.ws.resume();
  assert.ok([1006, 1013].includes((await slow.ended()).code));
});

test('[9.12] messages that come too fast wait, and none is lost', async () => {
  await using server = await echoServer({ burst: 10, rate: 5 });
  const socket = await server.open();
  for (let at = 0; at < 20; at++) socket.send(50 + at);
  await until(() => server.seen.heard.length > 10);
  // What has come in one piece is heard; nothing is read after it.
  for (let at = 20; at < 40; at++) socket.send(50 + at);
  await turns();
  assert.ok(server.seen.heard.length <= 20);
  await until(() => {
    server.tick(1);
    return server.seen.heard.length === 40;
  });
  assert.deepEqual(
    server.seen.heard.map(([byte]) => byte),
    Array.from({ length: 40 }, (_, at) => 50 + at),
  );
});

test('[9.12] large answers count against the rate of their socket', async () => {
  await using server = await echoServer({ burst: 10, rate: 5, responseBytesPerToken: 1000 });
  const socket = await server.open();
  socket.send(9);
  await until(() => server.seen.heard.length === 1);
  server.seen.peers[0]?.charge(12_000);
  socket.send(8);
  await turns();
  assert.equal(server.seen.heard.length, 1);
  server.tick(1);
  await until(() => server.seen.heard.length === 2);
});

test('unfinished work delays reading from the socket', async () => {
  await using server = await echoServer({ queueBytes: 1000 });
  const socket = await server.open();
  socket.send(9);
  await until(() => server.seen.heard.length === 1);
  const [connection] = server.seen.peers;
  connection?.acquire(2000);
  socket.send(8);
  // A socket is read in turns of the event loop; without the pause this many would suffice.
  await turns();
  assert.equal(server.seen.heard.length, 1);
  connection?.release(2000);
  await until(() => server.seen.heard.length === 2);
});

test('[9.9] a silent socket is pinged, and cut off if it does not answer', async () => {
  await using server = await echoServer({ silentTicks: 4 });
  const alive = await server.open();
  const dead = await server.open();
  for (const socket of [alive, dead]) socket.send(ADMIT);
  await until(() => server.seen.heard.length === 2);
  // A paused socket neither reads nor answers, so no pong is sent.
  dead.ws.pause();
  server.tick(4);
  assert.equal(server.seen.pings, 2);
  await until(() => alive.closed === null && server.sockets.size === 2);
  await turns();
  server.tick(4);
  await until(() => server.sockets.size === 1);
  assert.equal(alive.closed, null);
  dead.ws.resume();
  assert.equal((await dead.ended()).code, 1006);
});

test('a server that stops closes its sockets, accepts none, and does not wait for those that do not answer', async () => {
  await using server = await echoServer();
  const [polite, deaf] = [await server.open(), await server.open()];
  deaf.ws.pause();
  const stopped = server.app.close();
  assert.deepEqual(await polite.ended(), { code: 1012, reason: 'server stops' });
  await stopped;
  assert.equal(server.seen.closed, 2);
  await until(() => server.sockets.size === 0);
});
