/** Tests that a call releases what it acquired, also when its client leaves before the answer. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEachEngine } from '../kit/engines.ts';
import { turns, until } from '../kit/until.ts';
import { cutCalls, gauge, REVISIONS, rawCall, serverWithTools } from './cut-calls.ts';

onEachEngine('calls of tools whose client leaves', (open) => {
  test('calls of tools whose client leaves give everything back after 90 cut calls of both eras', () =>
    cutCalls(open, 90));

  test('calls of tools whose client leaves count until their tools have ended, and no longer than 30 seconds', async () => {
    const gates: (() => void)[] = [];
    const { server, key } = await serverWithTools(open, (fetch) => async (input, { signal: _, ...init } = {}) => {
      await new Promise<void>((resolve) => gates.push(resolve));
      return fetch(input, init);
    });
    await using _ = server;
    const openGates = () => {
      for (const open of gates.splice(0)) open();
    };
    const running = () => gauge(server, 'notevault_mcp_calls');
    for (const revision of REVISIONS) {
      const cut = Array.from({ length: 4 }, () => rawCall(server, key, revision));
      await until(() => gates.length === 4, 'the tools');
      for (const { leave } of cut) leave();
      for (const { answer } of cut) assert.equal(await answer, null);
      const fifth = rawCall(server, key, revision);
      await turns();
      assert.deepEqual([gates.length, await running()], [4, 4], 'the fifth waits for tools that run');
      let isAnswered = false;
      const answer = fifth.answer.then((text) => {
        isAnswered = true;
        return text;
      });
      await until(() => {
        openGates();
        return isAnswered;
      }, 'the answer of the fifth');
      assert.match((await answer) ?? '', /"result"/);
      await until(async () => (await running()) === 0, 'no call');
    }
    const stuck = Array.from({ length: 4 }, () => rawCall(server, key, '2025-06-18'));
    await until(() => gates.length === 4, 'the tools');
    server.clock.advance({ seconds: 29 });
    assert.equal(await running(), 4);
    server.clock.advance({ seconds: 1 });
    assert.equal(await running(), 0);
    for (const { leave } of stuck) leave();
    const next = rawCall(server, key, '2025-06-18');
    await until(() => gates.length === 5, 'the next call');
    next.leave();
    await until(async () => {
      openGates();
      return (await running()) === 0;
    }, 'no call');
  });

  test('calls of tools whose client leaves count each in a batch, of which four run at once', async () => {
    const gates: (() => void)[] = [];
    const { server, key } = await serverWithTools(open, (fetch) => async (input, init) => {
      await new Promise<void>((resolve) => gates.push(resolve));
      return fetch(input, init);
    });
    await using _ = server;
    const running = () => gauge(server, 'notevault_mcp_calls');
    const headers = { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-03-26' };
    const call = (id: number) => ({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'list_vaults' } });
    const send = (count: number) =>
      server.bearer(key).post(
        '/mcp',
        Array.from({ length: count }, (_, id) => call(id)),
        headers,
      );
    const batch = send(100);
    await until(() => gates.length > 0, 'the tools');
    await turns();
    assert.deepEqual([gates.length, await running()], [4, 4]);
    const two = send(2);
    await turns();
    assert.equal(gates.length, 4, 'the second batch waits');
    let most = 0;
    let answered = 0;
    for (const answer of [batch, two]) void answer.then(() => (answered += 1));
    await until(() => {
      most = Math.max(most, gates.length);
      for (const open of gates.splice(0)) open();
      return answered === 2;
    }, 'the answers');
    assert.equal(most, 4);
    for (const [answer, count] of [
      [await batch, 100],
      [await two, 2],
    ] as const) {
      assert.deepEqual([answer.status, answer.body.length], [200, count]);
      assert.ok(answer.body.every(({ result }: { result?: unknown }) => result !== undefined));
    }
    await until(async () => (await running()) === 0, 'no call');
  });

  test('begin no further calls of a batch whose client has left', async () => {
    const gates: (() => void)[] = [];
    const { server, key } = await serverWithTools(open, (fetch) => async (input, { signal: _, ...init } = {}) => {
      await new Promise<void>((resolve) => gates.push(resolve));
      return fetch(input, init);
    });
    await using _ = server;
    const batch = rawCall(server, key, '2025-03-26', false, 50);
    await until(() => gates.length === 4, 'the tools');
    batch.leave();
    assert.equal(await batch.answer, null);
    await until(async () => {
      for (const open of gates.splice(0)) open();
      return (await gauge(server, 'notevault_mcp_calls')) === 0;
    }, 'no call');
    assert.deepEqual(gates, []);
  });
});
