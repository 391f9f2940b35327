import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onSqlite } from '../../kit/engines.ts';
import { NEEDS } from '../../kit/operation-variants.ts';
import { knownOperations, makeWorld } from '../../kit/operations.ts';
import { startServer } from '../../kit/server.ts';

/** JSON that is no object. */
const NO_OBJECTS = ['[]', '[{}]', '"text"', '5', 'true'];
const json = { 'content-type': 'application/json' };

onSqlite('bodies of a wrong type', (open) => {
  test('every operation with a JSON body refuses one that is no object', async (t) => {
    await using server = await startServer({ open });
    const world = await makeWorld(server.alice, 'types', NEEDS);
    for (const { name, method, request, rule } of await knownOperations(server.anyone)) {
      const { url, body, headers } = request(world);
      if (typeof body !== 'object' || body instanceof Uint8Array) continue;
      const caller = rule.who === 'anyone' ? server.anyone : server.alice;
      await t.test(name, async () => {
        for (const sent of NO_OBJECTS) {
          const answer = await caller.call(method, url, Buffer.from(sent), { ...headers, ...json });
          assert.ok([400, 422].includes(answer.status), `${sent}: ${answer.status} ${answer.bytes}`);
        }
      });
    }
  });

  test('the OAuth endpoints refuse JSON of any type but an object', async () => {
    await using server = await startServer({ open });
    for (const endpoint of ['token', 'revoke', 'register']) {
      for (const sent of NO_OBJECTS) {
        const { status } = await server.anyone.post(`/../oauth/${endpoint}`, Buffer.from(sent), json);
        assert.ok(status >= 400 && status < 500, `${endpoint} ${sent}: ${status}`);
      }
    }
  });

  test('POST /auth/device names the body in its refusal, and needs none', async () => {
    await using server = await startServer({ open });
    const { status, body } = await server.anyone.post('/auth/device', Buffer.from('[]'), json);
    assert.deepEqual([status, body], [422, { errors: { body: ['must be object,null'] } }]);
    assert.equal((await server.anyone.post('/auth/device')).status, 200);
  });

  test('fields of a wrong type under /auth are refused', async () => {
    await using server = await startServer({ open });
    for (const { name, method, request, rule } of await knownOperations(server.anyone)) {
      const { url, body, headers } = request(await makeWorld(server.alice, name, []));
      if (!url.startsWith('/auth/') || typeof body !== 'object') continue;
      const caller = rule.who === 'anyone' ? server.anyone : server.alice;
      for (const value of [5, [], {}, true]) {
        const sent = Object.fromEntries(Object.keys(body ?? {}).map((field) => [field, value]));
        const answer = await caller.call(method, url, sent, headers ?? {});
        assert.ok([400, 401, 422].includes(answer.status), `${name} ${value}: ${answer.status} ${answer.bytes}`);
      }
    }
  });
});
