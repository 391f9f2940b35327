/** Operations that were let in before a right was taken away, and whose bodies end after it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SlowCall, watchDecisions } from '../../kit/clients/slow-call.ts';
import { onEachEngine } from '../../kit/engines.ts';
import { type Known, knownOperations, type World } from '../../kit/operations.ts';
import type { Caller } from '../../kit/person.ts';
import type { TestServer } from '../../kit/server.ts';
import { until } from '../../kit/until.ts';
import { idOf, makerOfScenes, newSession, removals } from './removals.ts';

/** Returns the parts of a world that a refused call must not change. */
async function stateOf(caller: Caller, { vault }: World): Promise<unknown> {
  const asked = ['/sync/changes', '/trash', '/folders', '/connections', '/me/sessions', '/me/preferences'];
  return Promise.all(asked.map(async (url) => (await caller.get(url, { 'x-vault-id': vault })).body));
}

function begin(server: TestServer, { method, request }: Known, world: World, token: string): SlowCall {
  const { url, body, headers } = request(world);
  return new SlowCall(server, method, url, body, { authorization: `Bearer ${token}`, ...headers });
}

onEachEngine('an operation whose body ends after a right was taken away', (open) => {
  const makeScene = makerOfScenes(open);

  for (const [at, [name, { token, take, refusal, concerns }]] of Object.entries(removals).entries()) {
    test(`is refused when ${name}`, async () => {
      const scene = await makeScene(`slow${at}`);
      const { server, owner, world } = scene;
      // There is no upload of which a slice could be sent: slow-streams.pg.test.ts has one.
      const operations = (await knownOperations(server.anyone)).filter(
        (operation) =>
          concerns(operation) && operation.request(world).body !== undefined && operation.name !== 'appendToUpload',
      );
      assert.ok(operations.length > 2, `${operations.length} operations`);
      const bearer = await token(scene);
      using decisions = watchDecisions(server);
      const calls = operations.map((operation) => begin(server, operation, world, bearer));
      await decisions.decided(calls.length, operations.filter(({ rule }) => rule.vault !== undefined).length);
      const taken = await take(scene);
      assert.ok(taken.status < 300, `${taken.status}`);
      const before = await stateOf(owner, world);
      for (const [index, call] of calls.entries()) {
        const { status, body } = await call.end();
        // A slow machine cuts a slow body itself, which changes nothing either.
        if (status === 408) continue;
        const answered = [status, (body as { error?: string } | null)?.error];
        assert.deepEqual(answered, refusal, `${operations[index]?.name} → ${JSON.stringify(body)}`);
      }
      assert.deepEqual(await stateOf(owner, world), before, 'a refused call changed something');
    });
  }

  test('is carried out when only its access token expired, and when the right that was taken away is another', async () => {
    const { server, owner, member, world } = await makeScene('slow-kept');
    const { accessToken } = await member.signed();
    const session = await newSession(server, member);
    using decisions = watchDecisions(server);
    const headers = { authorization: `Bearer ${accessToken}`, 'x-vault-id': world.vault };
    const call = new SlowCall(server, 'POST', '/notes', { path: 'kept.md', content: 'kept', mtime: 1 }, headers);
    await decisions.decided(1, 1);
    assert.equal((await server.bearer(session).post('/auth/logout')).status, 204);
    server.clock.advance({ minutes: 20 });
    assert.equal((await call.end()).status, 200);
    assert.equal((await owner.get('/me')).status, 401, 'an access token expires');
  });

  test('is cut while it goes on', async () => {
    const { server, owner, member, world } = await makeScene('slow-stream');
    const { accessToken } = await member.signed();
    using decisions = watchDecisions(server);
    const call = new SlowCall(server, 'PUT', '/attachments/long.txt', Buffer.alloc(2), {
      authorization: `Bearer ${accessToken}`,
      'x-vault-id': world.vault,
      'content-length': '100000000',
    });
    await decisions.decided(1, 1);
    assert.equal((await owner.delete(`/vaults/${world.vault}/members/${await idOf(member)}`)).status, 204);
    await until(() => {
      call.write(Buffer.alloc(1000, 'a'));
      return call.isAnswered;
    });
    assert.equal((await call.answer()).status, 404);
  });
});
