import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onSqlite, rawOf } from '../../../../test/kit/engines.ts';
import { startChecked } from '../../../../test/kit/openapi.ts';
import type { Caller } from '../../../../test/kit/person.ts';

/** A caller with a key of alice's. */
const keyed = async ({ alice, bearer }: Awaited<ReturnType<typeof startChecked>>, fields: object) =>
  bearer((await alice.post('/api-keys', { name: 'K', ...fields })).body.key);

const messages = async (who: Caller, query = ''): Promise<(string | null)[]> => {
  const { status, body } = await who.get(`/logs${query}`);
  assert.equal(status, 200);
  return body.logs.map(({ message }: { message: string | null }) => message);
};

onSqlite('POST and GET /logs', (open) => {
  test('POST and GET /logs return whole records, newest first, of the caller only', async () => {
    await using at = await startChecked({ open });
    const now = new Date(at.server.clock.now()).toISOString();
    const full = {
      category: 'sync',
      conn_id: 'c1',
      device_id: 'd1',
      level: 'error',
      message: 'first',
      platform: 'linux',
      plugin_version: '1.2.3',
      stack: 'at x',
      forced: true,
      ts: '2026-01-15T10:00:00.000Z',
    };
    const taken = await at.server.alice.post('/logs', { logs: [full, { message: 'second', unknown: 7 }] });
    assert.deepEqual([taken.status, taken.body], [200, { ok: true, count: 2 }]);
    const { logs } = (await at.alice.get('/logs')).body;
    const nothing = Object.fromEntries(Object.keys(full).map((key) => [key, null]));
    assert.deepEqual(logs, [
      { ...nothing, message: 'second', id: logs[0].id, created_at: now },
      { ...full, id: logs[1].id, created_at: now },
    ]);
    assert.deepEqual(await messages(at.bob), []);
  });

  test('POST and GET /logs cut long texts, drop excess records and refuse invalid ones', async () => {
    await using at = await startChecked({ open });
    const long = '🦊'.repeat(20_000);
    await at.alice.post('/logs', { logs: [{ message: long, stack: long }] });
    const [{ message, stack }] = (await at.alice.get('/logs')).body.logs;
    assert.deepEqual([[...message].length, [...stack].length], [8000, 16_000]);
    const many = Array.from({ length: 1002 }, (_, n) => ({ message: `m${n}`, level: n % 2 === 0 ? 'even' : 'odd' }));
    assert.deepEqual((await at.alice.post('/logs', { logs: many })).body, { ok: true, count: 1000 });
    assert.deepEqual(await messages(at.alice, '?limit=2'), ['m999', 'm998']);
    assert.equal((await messages(at.alice)).length, 100);
    assert.equal((await messages(at.alice, '?limit=5000')).length, 1000);
    assert.deepEqual(await messages(at.alice, '?level=even&limit=2'), ['m998', 'm996']);
    for (const body of [{}, { logs: 'x' }, { logs: [7] }, { logs: [{ message: 7 }] }, { logs: [{ forced: 'yes' }] }]) {
      assert.equal((await at.alice.post('/logs', body)).status, 422, JSON.stringify(body));
    }
    assert.deepEqual((await at.alice.post('/logs', { logs: [] })).body, { ok: true, count: 0 });
    assert.equal((await at.alice.post('/logs', { logs: [{ ts: 'yesterday', message: null }] })).status, 200);
    assert.equal((await at.alice.get('/logs')).body.logs[0].ts, null);
  });

  test('POST and GET /logs filter by level, category and since', async () => {
    await using at = await startChecked({ open });
    await at.alice.post('/logs', { logs: [{ message: 'a', level: 'info', category: 'sync' }] });
    at.server.clock.advance({ minutes: 5 });
    const since = new Date(at.server.clock.now()).toISOString();
    await at.alice.post('/logs', {
      logs: [
        { message: 'b', level: 'info', category: 'search' },
        { message: 'c', level: 'warn', category: 'sync' },
      ],
    });
    assert.deepEqual(await messages(at.alice, '?level=info'), ['b', 'a']);
    assert.deepEqual(await messages(at.alice, '?category=sync'), ['c', 'a']);
    assert.deepEqual(await messages(at.alice, '?level=info&category=sync'), ['a']);
    assert.deepEqual(await messages(at.alice, `?since=${since}`), ['c', 'b']);
    assert.deepEqual(await messages(at.alice, '?level=debug'), []);
    for (const query of ['?since=soon', '?limit=some']) {
      const { status, body } = await at.alice.get(`/logs${query}`);
      assert.deepEqual([status, Object.keys(body.errors)], [422, [query.slice(1, 6)]]);
    }
  });

  test('POST and GET /logs add nothing for a retry under an idempotency key', async () => {
    await using at = await startChecked({ open });
    const send = () => at.alice.post('/logs', { logs: [{ message: 'once' }] }, { 'x-idempotency-key': 'k' });
    assert.deepEqual((await send()).body, (await send()).body);
    assert.deepEqual(await messages(at.alice), ['once']);
  });

  test('POST and GET /logs accept records from any credential; a restricted one reads only its own', async () => {
    await using at = await startChecked({ open });
    const { id } = (await at.alice.post('/vaults', { name: 'V' })).body.vault;
    const [limited, reading, whole] = [
      await keyed(at, { vault_access: { [id]: 'read' } }),
      await keyed(at, { scope: 'mcp:read' }),
      await keyed(at, {}),
    ];
    for (const [name, who] of Object.entries({ session: at.alice, limited, reading, whole })) {
      assert.equal((await who.post('/logs', { logs: [{ message: name }] })).status, 200);
    }
    const all = ['whole', 'reading', 'limited', 'session'];
    assert.deepEqual(await messages(at.alice), all);
    assert.deepEqual(await messages(whole), all);
    assert.deepEqual(await messages(limited), ['limited']);
    assert.deepEqual(await messages(reading), ['reading']);
  });

  test('POST and GET /logs delete records after 30 days, and with the account', async () => {
    await using at = await startChecked({ open });
    await at.server.alice.signed();
    await using raw = await rawOf(at.server.db);
    const stored = async () => Number((await raw.all('select count(*) as n from log_records'))[0]?.n);
    await at.bob.post('/logs', { logs: Array.from({ length: 600 }, (_, n) => ({ message: `old ${n}` })) });
    at.server.clock.advance({ days: 29, hours: 23 });
    await at.server.app.accounts.login(at.server.bob).then(async ({ accessToken }) => {
      const bob = at.server.bearer(accessToken);
      await bob.post('/logs', { logs: [{ message: 'new' }] });
      assert.equal((await messages(bob, '?limit=1000')).length, 601);
    });
    at.server.clock.advance({ hours: 1 });
    const { accessToken } = await at.server.app.accounts.login(at.server.bob);
    const bob = at.server.bearer(accessToken);
    assert.deepEqual(await messages(bob), ['new']);
    assert.equal(await at.server.app.logs.removeExpired(), 600);
    assert.equal(await stored(), 1);
    assert.equal((await bob.delete('/me', { password: at.server.bob.password })).status, 200);
    assert.equal(await stored(), 0);
  });

  test('POST and GET /logs store nothing that a client sent in clear', async () => {
    await using at = await startChecked({ open });
    const word = 'xyzzy-secret';
    const record = { category: word, conn_id: word, device_id: word, level: word, message: word, stack: word };
    await at.alice.post('/logs', { logs: [{ ...record, platform: word, plugin_version: word }] });
    await using raw = await rawOf(at.server.db);
    const rows = await raw.all('select * from log_records');
    for (const value of rows.flatMap((row) => Object.values(row))) {
      assert.equal(String(value).includes(word), false);
    }
  });
});
