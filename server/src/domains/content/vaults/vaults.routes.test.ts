import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onSqlite } from '../../../../test/kit/engines.ts';
import { oneServer, startServer } from '../../../../test/kit/server.ts';

const NOWHERE = '00000000-0000-7000-8000-000000000000';
/** The fields of a vault without other members in lists. */
const OWNED = { role: 'owner', owner: { display_name: null }, members: 0 };
const NOT_FOUND = { error: 'not found' };
const DAY_MS = 86_400_000;
const LIMIT = {
  error: 'limit_exceeded',
  reason: 'vaults_cap_exceeded',
  limit_key: 'vaults_cap',
  tier: 'free',
  current: 1,
  limit: 1,
  upgrade_url: null,
};

onSqlite('POST and GET /vaults', (open) => {
  const start = oneServer(() => ({ open }));

  test('POST and GET /vaults return a created vault whole; the first is the default', async () => {
    await using server = await start();
    const now = new Date(server.clock.now()).toISOString();
    const answer = await server.alice.post('/vaults', { name: ' Work Notes ', description: 'Mine' });
    assert.equal(answer.status, 201);
    const { vault } = answer.body;
    assert.deepEqual(vault, {
      id: vault.id,
      name: 'Work Notes',
      slug: 'work-notes',
      description: 'Mine',
      is_default: true,
      encrypted: true,
      note_count: 0,
      attachment_count: 0,
      created_at: now,
      deleted_at: null,
      purge_at: null,
    });
    const second = await server.alice.post('/vaults', { name: 'Home', is_default: true });
    assert.equal(second.body.vault.is_default, true);
    const list = await server.alice.get('/vaults');
    assert.deepEqual(list.body, {
      vaults: [
        { ...vault, is_default: false, access: 'write', ...OWNED },
        { ...second.body.vault, access: 'write', ...OWNED },
      ],
      access_levels: true,
    });
    assert.deepEqual((await server.bob.get('/vaults')).body, { vaults: [], access_levels: true });
  });

  test('POST and GET /vaults look a code up only when one is sent', async () => {
    await using server = await start();
    const { body } = await server.alice.get('/vaults?user_code=ABCD-EFGH');
    const { vaults, ...rest } = body;
    const nothing = { user_code_valid: false, suggested_vault_name: null, suggested_device_name: null };
    assert.deepEqual([vaults, rest], [[], { access_levels: true, ...nothing }]);
  });

  test('POST and GET /vaults require a name, and apply the plan’s cap', async () => {
    await using server = await startServer({ open, config: { defaultPlan: 'free' } });
    const blank = await server.alice.post('/vaults', { name: '  ' });
    assert.deepEqual([blank.status, blank.body], [422, { errors: { name: ["can't be blank"] } }]);
    for (const body of [{}, { name: 7 }, { name: 'x'.repeat(256) }]) {
      const answer = await server.alice.post('/vaults', body);
      assert.deepEqual([answer.status, Object.keys(answer.body.errors)], [422, ['name']]);
    }
    assert.equal((await server.alice.post('/vaults', { name: 'One' })).status, 201);
    const second = await server.alice.post('/vaults', { name: 'Two' });
    assert.deepEqual([second.status, second.body], [402, LIMIT]);
    assert.equal((await server.anyone.get('/vaults')).status, 401);
  });
});

onSqlite('POST /vaults/register', (open) => {
  test('POST /vaults/register creates a vault once and returns it flat, with its status', async () => {
    await using server = await startServer({ open });
    const made = await server.alice.post('/vaults/register', { client_id: 'laptop-1', name: 'Notes' });
    const again = await server.alice.post('/vaults/register', { client_id: 'laptop-1', name: 'Other' });
    assert.deepEqual(
      [made.status, made.body.status, again.status, again.body.status],
      [201, 'created', 200, 'existing'],
    );
    assert.deepEqual({ ...again.body, status: '' }, { ...made.body, status: '' });
    const { vault } = (await server.alice.get(`/vaults/${made.body.id}`)).body;
    assert.deepEqual({ ...vault, status: 'created' }, { ...made.body, ...OWNED });
  });

  test('POST /vaults/register needs both fields, and applies the plan’s cap to new vaults only', async () => {
    await using server = await startServer({ open, config: { defaultPlan: 'free' } });
    for (const body of [
      undefined,
      {},
      { name: 'x' },
      { client_id: 'x' },
      { client_id: 7, name: 'x' },
      { client_id: 'x', name: ' ' },
    ]) {
      const answer = await server.alice.post('/vaults/register', body);
      assert.deepEqual([answer.status, answer.body], [400, { error: 'name and client_id are required' }]);
    }
    assert.equal((await server.alice.post('/vaults/register', { client_id: 'a', name: 'One' })).status, 201);
    const second = await server.alice.post('/vaults/register', { client_id: 'b', name: 'Two' });
    assert.deepEqual([second.status, second.body], [402, LIMIT]);
    assert.equal((await server.alice.post('/vaults/register', { client_id: 'a', name: 'One' })).status, 200);
  });
});

onSqlite('/vaults/{id}', (open) => {
  const start = oneServer(() => ({ open }));

  test('/vaults/{id} answers not found alike for a malformed, unknown, foreign or deleted vault', async () => {
    await using server = await start();
    const { id } = (await server.alice.post('/vaults', { name: 'Work' })).body.vault;
    const gone = (await server.alice.post('/vaults', { name: 'Gone' })).body.vault.id;
    await server.alice.delete(`/vaults/${gone}`);
    const answers = [
      ...['x', NOWHERE, gone].map((other) => server.alice.get(`/vaults/${other}`)),
      ...['x', NOWHERE, gone].map((other) => server.alice.patch(`/vaults/${other}`, { name: 'x' })),
      ...['x', NOWHERE, gone].map((other) => server.alice.delete(`/vaults/${other}`)),
      ...['x', NOWHERE, id].map((other) => server.alice.post(`/vaults/${other}/restore`)),
      ...['x', NOWHERE, id].map((other) => server.alice.post(`/vaults/${other}/purge`)),
      ...[server.bob.get(`/vaults/${id}`), server.bob.patch(`/vaults/${id}`, { name: 'x' })],
      ...[server.bob.delete(`/vaults/${id}`), server.bob.post(`/vaults/${gone}/restore`)],
      ...[server.bob.post(`/vaults/${gone}/purge`)],
    ];
    for (const { status, body } of await Promise.all(answers)) assert.deepEqual([status, body], [404, NOT_FOUND]);
    assert.equal((await server.alice.get(`/vaults/${id.toUpperCase()}`)).body.vault.id, id);
  });

  test('PATCH renames, describes, and moves the default', async () => {
    await using server = await start();
    const one = (await server.alice.post('/vaults', { name: 'One' })).body.vault;
    const two = (await server.alice.post('/vaults', { name: 'Two' })).body.vault;
    const renamed = await server.alice.patch(`/vaults/${two.id}`, { name: 'One', description: 'D' });
    assert.deepEqual(
      [renamed.status, renamed.body.vault],
      [200, { ...two, name: 'One', slug: 'one-2', description: 'D' }],
    );
    const blank = await server.alice.patch(`/vaults/${two.id}`, { name: '' });
    assert.deepEqual([blank.status, blank.body], [422, { errors: { name: ["can't be blank"] } }]);
    const undone = await server.alice.patch(`/vaults/${one.id}`, { is_default: false });
    assert.deepEqual([undone.status, Object.keys(undone.body.errors)], [422, ['is_default']]);
    assert.equal((await server.alice.patch(`/vaults/${two.id}`, { is_default: false })).status, 200);
    assert.equal((await server.alice.patch(`/vaults/${two.id}`, { is_default: true })).body.vault.is_default, true);
    assert.equal((await server.alice.get(`/vaults/${one.id}`)).body.vault.is_default, false);
    assert.equal((await server.alice.patch(`/vaults/${two.id}`, {})).status, 200);
  });

  test('DELETE is soft: the vault is listed as deleted, with its purge date, until it is restored', async () => {
    await using server = await start();
    const { vault } = (await server.alice.post('/vaults', { name: 'Work' })).body;
    const answer = await server.alice.delete(`/vaults/${vault.id}`);
    assert.deepEqual([answer.status, answer.body], [200, { deleted: true, id: vault.id }]);
    assert.deepEqual((await server.alice.get('/vaults')).body.vaults, []);
    const at = (ms: number) => new Date(server.clock.now() + ms).toISOString();
    const deleted = {
      ...vault,
      ...OWNED,
      access: 'write',
      is_default: false,
      deleted_at: at(0),
      purge_at: at(30 * DAY_MS),
    };
    assert.deepEqual((await server.alice.get('/vaults?deleted=true')).body.vaults, [deleted]);
    const restored = await server.alice.post(`/vaults/${vault.id}/restore`);
    assert.deepEqual([restored.status, restored.body], [200, { vault }]);
    assert.deepEqual((await server.alice.get('/vaults?deleted=true')).body.vaults, []);
  });

  test('restore is refused at the cap', async () => {
    await using server = await startServer({ open, config: { defaultPlan: 'free' } });
    const { id } = (await server.alice.post('/vaults', { name: 'One' })).body.vault;
    await server.alice.delete(`/vaults/${id}`);
    await server.alice.post('/vaults', { name: 'Two' });
    const answer = await server.alice.post(`/vaults/${id}/restore`);
    assert.deepEqual([answer.status, answer.body], [402, LIMIT]);
  });

  test('purge erases permanently', async () => {
    await using server = await start();
    const { id } = (await server.alice.post('/vaults', { name: 'Work' })).body.vault;
    await server.alice.post('/notes', { path: 'a.md', content: 'text', mtime: 1 }, { 'x-vault-id': id });
    await server.alice.delete(`/vaults/${id}`);
    const answer = await server.alice.post(`/vaults/${id}/purge`);
    assert.deepEqual([answer.status, answer.body], [200, { purged: true, id }]);
    assert.deepEqual((await server.alice.get('/vaults?deleted=true')).body.vaults, []);
    assert.equal((await server.alice.post(`/vaults/${id}/purge`)).status, 404);
  });
});
