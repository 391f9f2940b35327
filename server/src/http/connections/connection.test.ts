import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { test } from 'node:test';
import type { WebSocket } from 'ws';
import { Connection } from './connection.ts';
import { SOCKET_LIMITS } from './socket-limits.ts';

class FullSocket extends EventEmitter {
  readonly OPEN = 1;
  readyState = 1;
  bufferedAmount = SOCKET_LIMITS.largeBytes + 1;
}

test('Connection removes its drain listener after each wait', async () => {
  const [ws, socket] = [new FullSocket(), new EventEmitter()];
  const connection = new Connection(
    ws as unknown as WebSocket,
    socket as unknown as Socket,
    SOCKET_LIMITS,
    () => undefined,
  );
  for (let wait = 0; wait < 20; wait++) {
    ws.bufferedAmount = SOCKET_LIMITS.largeBytes + 1;
    const drained = connection.drained();
    ws.bufferedAmount = 0;
    socket.emit('drain');
    await drained;
  }
  assert.deepEqual([ws.listenerCount('close'), socket.listenerCount('drain')], [0, 0]);
});
