import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onSqlite } from '../../../../../test/kit/engines.ts';
import { checkedCallers } from '../../../../../test/kit/openapi.ts';
import type { Caller } from '../../../../../test/kit/person.ts';
import { startServer, type TestServerOptions } from '../../../../../test/kit/server.ts';

const MINUTE_MS = 60_000;

/** A server whose answers are all validated against its OpenAPI document. */
async function start(options: TestServerOptions) {
  const server = await startServer(options);
  const checked = await checkedCallers(server);
  return {
    server,
    alice: checked(server.alice),
    bearer: (token: string) => checked(server.bearer(token)),
    vault: async (who: Caller, name: string) => (await who.post('/vaults', { name })).body.vault.id as string,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

onSqlite('the list of connections', (open) => {
  test('the list of connections shows the minute of the last use, with address and user agent of the first', async () => {
    await using at = await start({ open });
    const { id, key } = (await at.alice.post('/api-keys', { name: 'A' })).body;
    const shown = async () => (await at.alice.get('/connections')).body[0];
    const minute = (ms: number) => new Date(Math.floor(ms / MINUTE_MS) * MINUTE_MS).toISOString();
    await at.bearer(key).get('/me', { 'user-agent': 'first/1' });
    const first = minute(at.server.clock.now());
    const { last_used_at, first_ip, first_user_agent } = await shown();
    assert.deepEqual([last_used_at, first_ip, first_user_agent], [first, '127.0.0.1', 'first/1']);
    at.server.clock.advance({ minutes: 3, seconds: 7 });
    await at.bearer(key).get('/me', { 'user-agent': 'second/1' });
    const after = await shown();
    assert.deepEqual([after.last_used_at, after.first_user_agent], [minute(at.server.clock.now()), 'first/1']);
    const listed = (await at.alice.get('/api-keys')).body.keys;
    assert.deepEqual([listed[0].id, listed[0].last_used], [id, after.last_used_at]);
  });

  test('names the only vault of a connection while the vault exists', async () => {
    await using at = await start({ open });
    const [work, home] = [await at.vault(at.alice, 'Work'), await at.vault(at.alice, 'Home')];
    const make = (name: string, fields: object) => at.alice.post('/connections/pat', { name, ...fields });
    await make('one', { vault_access: { [work]: 'read', [home]: 'none' } });
    await make('two', { vault_access: { [work]: 'read', [home]: 'write' } });
    await make('open', { default_access: 'read', vault_access: { [work]: 'none' } });
    const named = async () =>
      (await at.alice.get('/connections')).body.map((each: Record<string, unknown>) => [
        each.vault_id,
        each.vault_name,
      ]);
    const nothing = [null, null];
    assert.deepEqual(await named(), [[work, 'Work'], nothing, nothing]);
    await at.alice.delete(`/vaults/${work}`);
    assert.deepEqual(await named(), [nothing, [home, 'Home'], nothing]);
    await at.alice.post(`/vaults/${work}/restore`);
    assert.deepEqual(await named(), [[work, 'Work'], nothing, nothing]);
    await at.alice.delete(`/vaults/${work}`);
    assert.equal((await at.alice.post(`/vaults/${work}/purge`)).status, 200);
    assert.deepEqual(await named(), [nothing, [home, 'Home'], nothing]);
  });
});
