/** Streams, tools, tickets and waits that were let in before a right was taken away, and end after it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { VaultId } from '@notevault/protocol/values/ids.ts';
import { SlowCall, watchDecisions } from '../../kit/clients/slow-call.ts';
import { onEachEngine } from '../../kit/engines.ts';
import { until } from '../../kit/until.ts';
import { makerOfScenes, type Removal, removals, type Scene, tokenOf, vaultRemovals } from './removals.ts';
import { assertRefused, bearer, inVault, PIECE, slowSlice, slowTicket, slowTool } from './slow-calls.ts';
import { SESSION } from './standings.ts';

const LONG = 100_000_000;

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
async function untilCut(call: SlowCall) {
  await until(() => {
    call.write(PIECE);
    return call.isAnswered;
  }, 'the end of the stream');
  return call.answer();
}

onEachEngine('what was let in before a right was taken away', (open) => {
  const makeScene = makerOfScenes(open, []);

  for (const [at, [name, removal]] of vaultRemovals.entries()) {
    test(`writes nothing, and is cut if it goes on, when ${name}: slices, tickets and tools`, async () => {
      const scene = await makeScene(`stream${at}`);
      const token = await tokenOf(scene, removal, SESSION);
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
      for (const call of [tool, slice, ticket]) assertRefused(await call.end());
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
      const token = await tokenOf(scene, removal, SESSION);
      using decisions = watchDecisions(server);
      const headers = { ...bearer(token), 'content-length': `${LONG}` };
      const call = new SlowCall(server, 'POST', `/imports?vault_id=${world.vault}`, PIECE.subarray(0, 2), headers);
      await decisions.decided(1, 1);
      await takeAway(scene, removal);
      server.clock.advance({ seconds: 1 });
      assertRefused(await untilCut(call));
    });
  }

  const refusals = {
    'the password is changed': [401, 'unauthorized'],
    'the member is removed': [404, 'Vault not found'],
  } as const;
  for (const [name, refusal] of Object.entries(refusals)) {
    test(`is no answer if it waits for memory for it, and ${name}`, async (t) => {
      const scene = await makeScene(`memory-${name.replaceAll(' ', '-')}`);
      const { server } = scene;
      const { sync } = server.app;
      const removal = removals[name] as Removal;
      const token = await tokenOf(scene, removal, SESSION);
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
      assert.deepEqual([status, body.error], refusal);
      for (const other of others) assert.equal((await other).status, 200);
      assert.equal(began, 2);
    });
  }
});
