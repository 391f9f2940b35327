/** Streams, tools, tickets and waits that were let in before a right was taken away, and end after it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { VaultId } from '@notevault/protocol/values/ids.ts';
import { SlowCall, watchDecisions } from '../../kit/clients/slow-call.ts';
import { createUpload, tus } from '../../kit/content/slices.ts';
import { onEachEngine } from '../../kit/engines.ts';
import { until } from '../../kit/until.ts';
import { makerOfScenes, type Removal, removals, type Scene, vaultRemovals } from './removals.ts';

const PIECE = Buffer.alloc(1000, 'a');
const LONG = 100_000_000;

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const inVault = ({ world }: Scene) => ({ 'x-vault-id': world.vault });

/** Takes the right away; resolves to the change sequence of the vault at that moment. */
async function takeAway(scene: Scene, { take }: Removal): Promise<number | undefined> {
  const { status } = await take(scene);
  assert.ok(status < 300, `${status}`);
  return seqOf(scene);
}

async function seqOf({ server, world }: Scene): Promise<number | undefined> {
  const vault = world.vault as VaultId;
  return (await server.app.vaults.changeSeqs([vault])).get(vault);
}

/** Sends more until the server answers, although the announced length is not reached. */
async function untilCut(call: SlowCall): Promise<number> {
  await until(() => {
    call.write(PIECE);
    return call.isAnswered;
  }, 'the end of the stream');
  return (await call.answer()).status;
}

/** A slow machine may cut a slow body itself, with 408. */
function assertRefused(status: number): void {
  assert.ok([401, 403, 404, 408].includes(status), `${status}`);
}

/** Calls a tool that writes a note. */
function slowTool({ server, world }: Scene, token: string): SlowCall {
  const params = { name: 'create_note', arguments: { vault: world.vault, path: 'by a tool.md', content: 'late' } };
  const sent = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
  return new SlowCall(server, 'POST', '/mcp', sent, {
    ...bearer(token),
    accept: 'application/json, text/event-stream',
  });
}

/** Sends a slice of an upload of this length; less than all of it. */
async function slowSlice(scene: Scene, token: string, path: string, length: number): Promise<SlowCall> {
  const url = await createUpload(scene.server.bearer(token), path, length, {}, inVault(scene));
  const headers = { ...tus, ...bearer(token), 'content-type': 'application/offset+octet-stream' };
  const sent = { ...headers, 'upload-offset': '0', 'content-length': `${length}` };
  return new SlowCall(scene.server, 'PATCH', url, PIECE.subarray(0, Math.min(length, 2)), sent);
}

async function slowTicket(scene: Scene, token: string, path: string, headers: Record<string, string>) {
  const asked = { operation: 'attachment.put', path };
  const { url } = (await scene.server.bearer(token).post('/tickets', asked, inVault(scene))).body;
  return new SlowCall(scene.server, 'PUT', new URL(url).pathname.slice('/api'.length), PIECE.subarray(0, 2), headers);
}

onEachEngine('what was let in before a right was taken away', (open) => {
  const makeScene = makerOfScenes(open, []);

  for (const [at, [name, removal]] of vaultRemovals.entries()) {
    test(`writes nothing, and is cut if it goes on, when ${name}: slices, tickets and tools`, async () => {
      const scene = await makeScene(`stream${at}`);
      const token = await removal.token(scene);
      using decisions = watchDecisions(scene.server);
      const [slice, longSlice] = [
        await slowSlice(scene, token, 'slice.txt', 2),
        await slowSlice(scene, token, 'long slice.txt', LONG),
      ];
      const [ticket, longTicket] = [
        await slowTicket(scene, token, 'ticket.txt', {}),
        await slowTicket(scene, token, 'long ticket.txt', { 'content-length': `${LONG}` }),
      ];
      const tool = slowTool(scene, token);
      // Two uploads and two tickets were made, and two slices, two tickets and a tool were let in.
      await decisions.decided(7, 8);
      const seq = await takeAway(scene, removal);
      const { status, body } = await tool.end();
      // Who lost only the vault may still call tools.
      if (status === 200) assert.equal((body as { result: { isError?: boolean } }).result.isError, true);
      else assertRefused(status);
      assertRefused((await slice.end()).status);
      assertRefused((await ticket.end()).status);
      // Rights are compared again with the next piece after a second.
      scene.server.clock.advance({ seconds: 1 });
      assertRefused(await untilCut(longSlice));
      assertRefused(await untilCut(longTicket));
      assert.equal(await seqOf(scene), seq);
    });
  }

  for (const name of ['the member is removed', 'the role is lowered']) {
    test(`is cut if it is an archive to import, and ${name}`, async () => {
      const scene = await makeScene(`archive-${name.replaceAll(' ', '-')}`);
      const { server, world } = scene;
      const removal = removals[name] as Removal;
      const token = await removal.token(scene);
      using decisions = watchDecisions(server);
      const headers = { ...bearer(token), 'content-length': `${LONG}` };
      const call = new SlowCall(server, 'POST', `/imports?vault_id=${world.vault}`, PIECE.subarray(0, 2), headers);
      await decisions.decided(1, 1);
      await takeAway(scene, removal);
      server.clock.advance({ seconds: 1 });
      assertRefused(await untilCut(call));
    });
  }

  for (const name of ['the password is changed', 'the member is removed']) {
    test(`is no answer if it waits for memory for it, and ${name}`, async (t) => {
      const scene = await makeScene(`memory-${name.replaceAll(' ', '-')}`);
      const { server } = scene;
      const { sync } = server.app;
      const removal = removals[name] as Removal;
      const token = await removal.token(scene);
      const [held, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const { changes } = sync;
      let began = 0;
      t.mock.method(sync, 'changes', async (...args: Parameters<typeof changes>) => {
        began += 1;
        if (began === 2) held.resolve();
        await gate.promise;
        return changes.apply(sync, args);
      });
      const read = () => server.bearer(token).get('/sync/changes', inVault(scene));
      // As many as an account may have at once.
      const others = [read(), read()];
      await held.promise;
      using decisions = watchDecisions(server);
      const waiting = read();
      await decisions.decided(1, 1);
      await takeAway(scene, removal);
      gate.resolve();
      const { status, body } = await waiting;
      assert.deepEqual([status, body.error], removal.refusal);
      for (const other of others) assert.equal((await other).status, 200);
      assert.equal(began, 2);
    });
  }
});
