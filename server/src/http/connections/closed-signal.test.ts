import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, get, type ServerResponse } from 'node:http';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { listen } from '../../../test/kit/programs/free-port.ts';
import { closedSignal, hangUpSignal, onceClosed } from './closed-signal.ts';

test('a hang-up signal is aborted when the client goes before it has its answer, and not after it', async () => {
  const http = createServer();
  await using listening = await listen(http);
  const closedAfter = async (act: (response: ServerResponse, client: ReturnType<typeof get>) => void) => {
    const asked = once(http, 'request');
    const client = get(listening.url, { agent: false }, (answer) => answer.resume()).on('error', () => undefined);
    const response = (await asked)[1] as ServerResponse;
    const [closed, hangUp] = [closedSignal(response), hangUpSignal(response)];
    act(response, client);
    await once(closed, 'abort');
    return hangUp;
  };
  assert.equal((await closedAfter((response) => response.end('answer'))).aborted, false);
  assert.equal((await closedAfter((_, client) => client.destroy())).aborted, true);
});

test('onceClosed calls each function once, and at once for a stream that is closed or broken', async () => {
  const called: string[] = [];
  const stream = new PassThrough();
  for (const name of ['a', 'b']) onceClosed(stream, () => called.push(name));
  const closed = new Promise((resolve) => stream.once('close', resolve));
  stream.destroy(new Error('broken'));
  await closed;
  onceClosed(stream, () => called.push('c'));
  assert.deepEqual(called, ['a', 'b', 'c']);
  const never = new PassThrough();
  never.destroy();
  onceClosed(never, () => called.push('d'));
  assert.equal(closedSignal(never).aborted, true);
  assert.deepEqual(called, ['a', 'b', 'c', 'd']);
});
