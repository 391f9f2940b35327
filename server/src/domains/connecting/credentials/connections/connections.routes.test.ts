import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onSqlite } from '../../../../../test/kit/engines.ts';
import { startChecked } from '../../../../../test/kit/openapi.ts';

const MINUTE_MS = 60_000;

onSqlite('the list of connections', (open) => {
  test('the list of connections shows the minute of the last use, with address and user agent of the first', async () => {
    await using at = await startChecked({ open });
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
    await using at = await startChecked({ open });
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
