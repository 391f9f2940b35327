/** Operations that were let in before a right was taken away, and whose bodies end after it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SlowCall, watchDecisions } from '../../kit/clients/slow-call.ts';
import { onEachEngine } from '../../kit/engines.ts';
import { until } from '../../kit/until.ts';
import { idOf, makerOfScenes, newSession } from './removals.ts';
import { slowTool } from './slow-calls.ts';
import { defineSlowMatrix } from './slow-matrix.ts';
import { credentials } from './standings.ts';

// access.long.test.ts tries every credential with every removal: here each engine tries one with each.
onEachEngine('an operation whose body ends after a right was taken away', (open, engine) => {
  defineSlowMatrix(
    open,
    (removal, credential) => credential === (engine === 'sqlite' ? 0 : removal % credentials.length),
  );
});

onEachEngine('an operation with a slow body', (open) => {
  const makeScene = makerOfScenes(open, []);

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

  test('is carried out by a tool when only the token of the call expired', async () => {
    const scene = await makeScene('slow-tool');
    const { server, owner, world } = scene;
    const kinds = credentials.filter(
      ({ level, elsewhere, isSession }) => level === 'write' && (isSession || !elsewhere),
    );
    const tokens = await Promise.all(kinds.map((each) => each.make(server, owner, world)));
    using decisions = watchDecisions(server);
    const calls = tokens.map((token, at) => slowTool(scene, token, `${at}.md`));
    await decisions.decided(calls.length, 0);
    server.clock.advance({ hours: 2 });
    assert.equal((await owner.get('/me')).status, 401, 'an access token expires');
    for (const [at, call] of calls.entries()) {
      const { status, body } = await call.end();
      const { isError } = (body as { result: { isError?: boolean } }).result;
      assert.deepEqual([status, isError === true], [200, false], `${kinds[at]?.name}: ${JSON.stringify(body)}`);
    }
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
