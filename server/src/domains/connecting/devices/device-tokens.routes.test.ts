import assert from 'node:assert/strict';
import { test } from 'node:test';
import { begin, linked } from '../../../../test/kit/clients/device-link.ts';
import { onSqlite, rawOf } from '../../../../test/kit/engines.ts';
import type { Caller } from '../../../../test/kit/person.ts';
import { oneServer, startServer, type TestServer } from '../../../../test/kit/server.ts';

const lookUp = async (person: Caller, code: string) =>
  (await person.get(`/vaults?user_code=${encodeURIComponent(code)}`)).body;

onSqlite('a device’s tokens', (open) => {
  const start = oneServer(() => ({ open }));
  const refresh = ({ anyone }: TestServer, refresh_token: string) =>
    anyone.post('/auth/token/refresh', { refresh_token });
  const works = async (server: TestServer, token: string) => (await server.bearer(token).get('/vaults')).status === 200;
  const refused = [401, { error: 'invalid_refresh_token' }];

  test('are refreshed; the previous one is accepted for thirty seconds, and later reuse ends the device', async () => {
    await using server = await start();
    const first = await linked(server);
    const second = await refresh(server, first.refresh_token);
    const { access_token, refresh_token, ...said } = second.body;
    assert.deepEqual(said, { token_type: 'Bearer', expires_in: 900, vault_id: first.vault });
    assert.ok(refresh_token !== first.refresh_token && access_token !== first.access_token);
    server.clock.advance({ seconds: 30 });
    const again = await refresh(server, first.refresh_token);
    assert.equal(again.body.refresh_token, refresh_token, 'the same successor');
    for (const token of [first.access_token, access_token, again.body.access_token]) {
      assert.ok(await works(server, token));
    }
    server.clock.advance({ ms: 1 });
    const reused = await refresh(server, first.refresh_token);
    assert.deepEqual([reused.status, reused.body], refused);
    assert.deepEqual((await refresh(server, refresh_token)).status, 401);
    assert.equal(await works(server, access_token), false);
    assert.deepEqual((await server.alice.get('/connections')).body, []);
  });

  test('are refused when they are made up, which ends nothing', async () => {
    await using server = await start();
    const { refresh_token, access_token } = await linked(server);
    for (const token of ['', 'x', access_token, 'nv_dvr_x.y', (await server.alice.signed()).refreshToken]) {
      const answer = await refresh(server, token);
      assert.deepEqual([answer.status, answer.body], refused);
    }
    assert.equal((await refresh(server, refresh_token)).status, 200);
    assert.equal((await server.anyone.post('/auth/token/refresh', {})).status, 422);
  });

  test('are valid for fifteen minutes, and for ninety days after the last refresh', async () => {
    await using server = await start();
    let tokens = await linked(server);
    server.clock.advance({ minutes: 15, ms: -1 });
    assert.equal(await works(server, tokens.access_token), true);
    server.clock.advance({ ms: 1 });
    assert.equal(await works(server, tokens.access_token), false);
    for (let i = 0; i < 2; i++) {
      server.clock.advance({ days: 90, ms: -1 });
      tokens = { ...tokens, ...(await refresh(server, tokens.refresh_token)).body };
    }
    server.clock.advance({ days: 90 });
    assert.deepEqual((await refresh(server, tokens.refresh_token)).status, 401);
    await server.app.devices.sweep();
    const alice = await server.alice.logIn();
    assert.deepEqual((await server.bearer(alice.body.access_token).get('/connections')).body, []);
  });

  test('have one successor after ten refreshes at once', async () => {
    await using server = await start();
    const { refresh_token } = await linked(server);
    const ten = await Promise.all(Array.from({ length: 10 }, () => refresh(server, refresh_token)));
    assert.equal(new Set(ten.map(({ body }) => body.refresh_token)).size, 1);
    for (const { body } of ten) assert.ok(await works(server, body.access_token));
  });

  test('can be revoked repeatedly by their owner, and by nobody else', async () => {
    await using server = await start();
    const { access_token, refresh_token } = await linked(server);
    const family = (await server.alice.get('/connections')).body[0].client_id;
    for (const id of [family, 'x', '018f0000-0000-7000-8000-000000000000']) {
      const foreign = await server.bob.delete(`/connections/device/${id}`);
      assert.deepEqual([foreign.status, foreign.body], [404, { error: 'not_found' }]);
    }
    assert.equal(await works(server, access_token), true);
    for (let i = 0; i < 2; i++) {
      const { status, body } = await server.alice.delete(`/connections/device/${family}`);
      assert.deepEqual([status, body], [204, null]);
    }
    assert.equal(await works(server, access_token), false);
    assert.deepEqual((await refresh(server, refresh_token)).status, 401);
    assert.deepEqual((await server.alice.get('/connections')).body, []);
  });

  test('end by a request of the device itself, repeatedly, and by no made-up token', async () => {
    await using server = await start();
    const first = await linked(server);
    const kept = await linked(server);
    const signOff = async (refresh_token: unknown) => {
      const { status, body } = await server.anyone.post('/auth/token/revoke', { refresh_token });
      return [status, body];
    };
    for (const token of ['', 'x', first.access_token, 'nv_dvr_x.y'])
      assert.deepEqual(await signOff(token), [204, null]);
    assert.equal(await works(server, first.access_token), true);
    const { refresh_token } = (await refresh(server, first.refresh_token)).body;
    for (const token of [refresh_token, refresh_token, first.refresh_token])
      assert.deepEqual(await signOff(token), [204, null]);
    assert.equal(await works(server, first.access_token), false);
    assert.equal((await refresh(server, refresh_token)).status, 401);
    assert.equal(await works(server, kept.access_token), true);
    assert.equal((await server.alice.get('/connections')).body.length, 1);
    assert.equal((await signOff(undefined))[0], 422);
  });

  test('give no access once their vault is purged, and are deleted with the account', async () => {
    await using server = await startServer({ open });
    const { access_token, vault } = await linked(server);
    const { user_code } = await begin(server);
    await lookUp(server.alice, user_code);
    await lookUp(server.alice, 'ZZZZ-ZZZZ');
    await server.alice.delete(`/vaults/${vault}`);
    const device = server.bearer(access_token);
    assert.deepEqual((await device.get('/vaults')).body.vaults, []);
    await server.alice.post(`/vaults/${vault}/purge`);
    assert.deepEqual((await device.get('/vaults')).body.vaults, []);
    await server.bob.signed();
    await server.app.accounts.createUser('carol@example.org', 'long enough', 'admin');
    assert.equal((await server.alice.delete('/me', { password: server.alice.password })).status, 200);
    assert.equal((await device.get('/vaults')).status, 401);
    await using raw = await rawOf(server.db);
    const tables = (await raw.tables()).filter((table) => /^(device|connection)/.test(table));
    assert.equal(tables.length, 7);
    for (const table of tables) assert.deepEqual(await raw.all(`select * from ${table}`), [], table);
  });
});
