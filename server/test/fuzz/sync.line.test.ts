import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { WebSocketServer } from 'ws';
import { kinds, text } from '../kit/clients/raw-socket.ts';
import { Line } from './sync.line.ts';

const NOTE = 'note';
const named = (...parts: (number | Uint8Array)[]) =>
  Buffer.concat([text(NOTE), ...parts.map((part) => (typeof part === 'number' ? Uint8Array.of(part) : part))]);

/** A server that answers an update with the status 0 and then, in the same segment, with a CLOSE. */
async function closing(reason: string) {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  await once(server, 'listening');
  server.on('connection', (socket, request) => {
    socket.on('message', (data: Buffer) => {
      const kind = data[NOTE.length + 1];
      if (kind === kinds.auth) socket.send(named(kinds.auth, 2, text('read-write')));
      if (kind !== kinds.sync) return;
      request.socket.cork();
      socket.send(named(kinds.status, 0));
      socket.send(named(kinds.close, text(reason)));
      request.socket.uncork();
    });
  });
  const { port } = server.address() as { port: number };
  return { url: `http://127.0.0.1:${port}`, [Symbol.dispose]: () => void server.close() };
}

for (const [reason, told] of [
  ['note_deleted', []],
  ['foreign_lineage', ['foreign_lineage']],
] as const) {
  test(`Line reports a rejected update as missing, and recognises a CLOSE for ${reason} in the same segment`, async () => {
    using server = await closing(reason);
    const refused: string[] = [];
    const [closed, watcher] = [Promise.withResolvers<void>(), { update: () => undefined }];
    using line = await Line.open(
      { url: server.url, token: 'token' },
      NOTE,
      { ...watcher, closed: () => closed.resolve() },
      (why) => refused.push(why),
    );
    assert.deepEqual(await line.apply([Uint8Array.of(0, 0)]), ['missing']);
    await closed.promise;
    assert.deepEqual(refused, told);
  });
}
