import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { describe, test } from 'node:test';
import type { WebSocket } from 'ws';
import { busyFor, turns, until } from '../../../test/kit/until.ts';
import { Connection } from './connection.ts';
import { SOCKET_LIMITS } from './socket-limits.ts';

class FakeSocket extends EventEmitter {
  readonly OPEN = 1;
  readyState = 1;
  bufferedAmount = 0;
  isPaused = false;

  pause(): void {
    this.isPaused = true;
  }
  resume(): void {
    this.isPaused = false;
  }
}

/** A connection whose session records the first byte of each message, and then calls `handle`. */
function connect(handle: (byte: number, connection: Connection) => void = () => undefined) {
  const [ws, socket] = [new FakeSocket(), new EventEmitter()];
  const given = [ws as unknown as WebSocket, socket as unknown as Socket] as const;
  const connection = new Connection(...given, SOCKET_LIMITS, 'alice', () => undefined);
  const seen: (number | 'closed')[] = [];
  connection.session = {
    message: ([byte = 0]) => {
      seen.push(byte);
      handle(byte, connection);
    },
    ping: () => undefined,
    closed: () => seen.push('closed'),
  };
  const receive = (...bytes: number[]) => {
    for (const byte of bytes) connection.onFrame(Buffer.of(byte), true);
  };
  return { ws, socket, connection, seen, receive };
}

const FRAMES = Array.from({ length: 50 }, (_, at) => at);

describe('Connection', () => {
  test('removes its drain listener after each wait', async () => {
    const { ws, socket, connection } = connect();
    for (let wait = 0; wait < 20; wait++) {
      ws.bufferedAmount = SOCKET_LIMITS.largeBytes + 1;
      const drained = connection.drained();
      ws.bufferedAmount = 0;
      socket.emit('drain');
      await drained;
    }
    assert.deepEqual([ws.listenerCount('close'), socket.listenerCount('drain')], [0, 0]);
  });

  test('handles many messages that arrive at once in several turns of the event loop, in their order', async () => {
    const { ws, seen, receive } = connect(() => busyFor(1));
    receive(...FRAMES);
    assert.ok(seen.length < FRAMES.length / 2, `${seen.length} in one turn`);
    assert.equal(ws.isPaused, true);
    await until(() => seen.length === FRAMES.length);
    assert.deepEqual(seen, FRAMES);
    await until(() => !ws.isPaused, 'reading');
  });

  test('holds messages while too much is in work, and hands none out in the middle of another', async () => {
    let depth = 0;
    const { ws, connection, seen, receive } = connect((byte) => {
      assert.equal(depth++, 0);
      if (byte === 0) connection.acquire(SOCKET_LIMITS.queueBytes + 1);
      if (byte === 1) {
        connection.acquire(SOCKET_LIMITS.queueBytes + 1);
        connection.release(SOCKET_LIMITS.queueBytes + 1);
      }
      depth -= 1;
    });
    receive(0, 1, 2);
    await until(() => seen.length === 1);
    await turns();
    assert.deepEqual([seen, ws.isPaused], [[0], true]);
    connection.release(SOCKET_LIMITS.queueBytes + 1);
    assert.deepEqual(seen, [0]);
    await until(() => seen.length === 3);
    await until(() => !ws.isPaused, 'reading');
    assert.deepEqual(seen, [0, 1, 2]);
  });

  test('hands out held messages when the peer leaves, and none after a close of its own', async () => {
    const stop = (byte: number, connection: Connection) => {
      if (byte === 0) connection.acquire(SOCKET_LIMITS.queueBytes + 1);
    };
    const left = connect(stop);
    left.receive(0, 1, 2);
    left.connection.onClose();
    assert.deepEqual(left.seen, [0, 1, 2, 'closed']);
    const closed = connect(stop);
    Object.assign(closed.ws, { close: () => undefined });
    closed.receive(0, 1, 2);
    // The first waits for another turn of the loop when this one has taken its time.
    await until(() => closed.seen.length === 1);
    closed.connection.close(1008, 'enough');
    closed.connection.onClose();
    await turns();
    assert.deepEqual(closed.seen, [0, 'closed']);
  });
});
