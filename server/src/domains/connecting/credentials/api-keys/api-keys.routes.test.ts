import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onSqlite } from '../../../../../test/kit/engines.ts';
import { startChecked } from '../../../../../test/kit/openapi.ts';
import type { Caller } from '../../../../../test/kit/person.ts';
import { builtinPlans } from '../../../foundation/plans/plans.ts';

const NOWHERE = '00000000-0000-7000-8000-000000000000';
const UNAUTHORIZED = { error: 'unauthorized' };

onSqlite('API keys and personal access tokens', (open) => {
  test('are created by POST /api-keys and /connections/pat, which show the secret once; both are listed', async () => {
    await using at = await startChecked({ open });
    const key = await at.alice.post('/api-keys', { name: ' Backup ' });
    assert.deepEqual([key.status, Object.keys(key.body).sort(), key.body.name], [200, ['id', 'key', 'name'], 'Backup']);
    assert.match(key.body.key, /^nv_key_[\w-]{43}$/);
    const pat = await at.alice.post('/connections/pat', { name: 'Laptop' });
    assert.deepEqual([pat.status, Object.keys(pat.body).sort()], [201, ['id', 'key', 'name']]);
    assert.match(pat.body.key, /^nv_pat_[\w-]{43}$/);
    const now = new Date(at.server.clock.now()).toISOString();
    const meta = (made: typeof key) => ({ id: made.body.id, name: made.body.name, created_at: now, last_used: null });
    assert.deepEqual((await at.alice.get('/api-keys')).body, { keys: [meta(key), meta(pat)] });
    const shown = (made: typeof key) => ({
      kind: 'pat',
      key_id: made.body.id,
      name: made.body.name,
      connected_at: now,
      last_used_at: null,
      client_id: null,
      first_ip: null,
      first_user_agent: null,
      logo: null,
      scope: null,
      slug: null,
      software_id: null,
      software_version: null,
      vault_id: null,
      vault_name: null,
      verified: null,
      redirect_uri: null,
      redirect_uris: null,
      cimd_url: null,
    });
    assert.deepEqual((await at.alice.get('/connections')).body, [shown(key), shown(pat)]);
    assert.deepEqual((await at.bob.get('/api-keys')).body, { keys: [] });
    assert.deepEqual((await at.bob.get('/connections')).body, []);
  });

  test('are refused with a blank name, an unknown or foreign vault, an unknown scope or no access at all', async () => {
    await using at = await startChecked({ open });
    const [mine, bobs] = [await at.vault(at.alice, 'Mine'), await at.vault(at.bob, 'Bob’s')];
    const vaultFault = (why: string) => ({ errors: { vault_access: [why] } });
    for (const [path] of [['/api-keys'], ['/connections/pat']] as const) {
      for (const name of ['', '  ', 'x'.repeat(256), 'a\u0000b', undefined, 7, null]) {
        const { status, body } = await at.alice.post(path, { name });
        assert.deepEqual([status, Object.keys(body.errors)], [422, ['name']]);
      }
      const notYours = vaultFault('must name vaults of your own');
      const nothing = vaultFault('must reach at least one vault, now or later');
      const cases: [object, object][] = [
        [{ vault_access: { [bobs]: 'read' } }, notYours],
        [{ vault_access: { [NOWHERE]: 'read' } }, notYours],
        [{ vault_access: { [mine]: 'read', [bobs]: 'none' } }, notYours],
        [{ vault_access: { 'not-an-id': 'read' } }, notYours],
        [{ vault_access: { [mine]: 'admin' } }, vaultFault('must give none, read or write for each vault')],
        [{ vault_access: { [mine]: null } }, vaultFault('must give none, read or write for each vault')],
        [{ vault_access: {} }, nothing],
        [{ vault_access: { [mine]: 'none' } }, nothing],
        [{ default_access: 'none' }, nothing],
        [{ default_access: 'none', vault_access: { [mine]: 'none' } }, nothing],
        [{ scope: 'admin' }, vaultFault('the scope must be mcp or mcp:read')],
        [{ scope: '' }, vaultFault('the scope must be mcp or mcp:read')],
      ];
      for (const [fields, body] of cases) {
        const answer = await at.alice.post(path, { name: 'K', ...fields });
        assert.deepEqual([answer.status, answer.body], [422, body], JSON.stringify(fields));
      }
      for (const fields of [{ default_access: 'all' }, { vault_access: [] }, { vault_access: 'x' }, { scope: 7 }]) {
        assert.equal((await at.alice.post(path, { name: 'K', ...fields })).status, 422, JSON.stringify(fields));
      }
    }
    assert.deepEqual((await at.alice.get('/api-keys')).body, { keys: [] });
    const upper = await at.alice.post('/api-keys', { name: 'K', vault_access: { [mine.toUpperCase()]: 'read' } });
    assert.equal(upper.status, 200);
  });

  test('are revoked once by DELETE; from then on the secret is refused', async () => {
    await using at = await startChecked({ open });
    const key = (await at.alice.post('/api-keys', { name: 'A' })).body;
    const pat = (await at.alice.post('/connections/pat', { name: 'B' })).body;
    for (const { key: secret } of [key, pat]) assert.equal((await at.bearer(secret).get('/me')).status, 200);
    const malformed = await at.alice.delete('/api-keys/x');
    assert.deepEqual([malformed.status, malformed.body], [400, { error: 'invalid API key id' }]);
    for (const [who, id] of [
      [at.alice, NOWHERE],
      [at.bob, key.id],
    ] as const) {
      const unknown = await who.delete(`/api-keys/${id}`);
      assert.deepEqual([unknown.status, unknown.body], [404, { error: 'API key not found' }]);
      const none = await who.delete(`/connections/pat/${id}`);
      assert.deepEqual([none.status, none.body], [404, { error: 'not_found' }]);
    }
    assert.deepEqual((await at.alice.delete('/connections/pat/x')).body, { error: 'not_found' });
    const revoked = await at.alice.delete(`/api-keys/${pat.id.toUpperCase()}`);
    assert.deepEqual([revoked.status, revoked.body], [200, { deleted: true }]);
    const second = await at.alice.delete(`/connections/pat/${key.id}`);
    assert.deepEqual([second.status, second.body], [204, null]);
    for (const { key: secret } of [key, pat]) {
      const answer = await at.bearer(secret).get('/me');
      assert.deepEqual([answer.status, answer.body], [401, UNAUTHORIZED]);
      assert.match(answer.headers.get('www-authenticate') ?? '', /error="invalid_token"/);
    }
    assert.equal((await at.alice.delete(`/api-keys/${pat.id}`)).status, 404);
    assert.deepEqual((await at.alice.get('/connections')).body, []);
  });

  test('are refused when the secret is only nearly right', async () => {
    await using at = await startChecked({ open });
    const { key } = (await at.alice.post('/api-keys', { name: 'A' })).body;
    const bare = key.slice('nv_key_'.length);
    const near = [bare, `nv_pat_${bare}`, `nv_ses_${bare}`, key.slice(0, -1), `${key}A`, key.toUpperCase()];
    for (const token of [...near, `nv_other_${bare}`, 'nv_key_', 'nv__']) {
      assert.equal((await at.bearer(token).get('/me')).status, 401, token.slice(0, 9));
    }
    const basic = await at.server.anyone.get('/me', { authorization: `Basic ${key}` });
    assert.equal(basic.status, 401);
    assert.equal((await at.server.anyone.get('/me', { authorization: `bearer ${key}` })).status, 200);
  });

  test('are created once when the request is retried under an idempotency key', async () => {
    await using at = await startChecked({ open });
    for (const path of ['/api-keys', '/connections/pat']) {
      const ask = () => at.alice.post(path, { name: 'Once' }, { 'x-idempotency-key': 'a' });
      const [first, again] = [await ask(), await ask()];
      assert.deepEqual([again.status, again.body], [first.status, first.body]);
      assert.equal(again.headers.get('idempotency-replayed'), 'true');
    }
    assert.equal((await at.alice.get('/api-keys')).body.keys.length, 2);
  });
});

onSqlite('the vaults of a restricted key', (open) => {
  test('a restricted key hides vaults of level none, cannot write to read ones, and has a default level', async () => {
    await using at = await startChecked({ open });
    const [hidden, shown, full] = [
      await at.vault(at.alice, 'Hidden'),
      await at.vault(at.alice, 'Shown'),
      await at.vault(at.alice, 'Full'),
    ];
    const levels = { [hidden]: 'none', [shown]: 'read', [full]: 'write' };
    const make = async (fields: object) =>
      at.bearer((await at.alice.post('/api-keys', { name: 'K', vault_access: levels, ...fields })).body.key);
    const [closed, reading, writing] = [
      await make({}),
      await make({ default_access: 'read' }),
      await make({ default_access: 'write' }),
    ];
    const later = await at.vault(at.alice, 'Later');
    const reached = async (who: Caller) => (await who.get('/vaults')).body.vaults.map(({ id }: { id: string }) => id);
    assert.deepEqual(await reached(closed), [shown, full]);
    assert.deepEqual(await reached(reading), [shown, full, later]);
    assert.deepEqual(await reached(writing), [shown, full, later]);
    const put = (who: Caller, id: string) =>
      who.post('/notes', { path: 'A.md', mtime: 1, content: 'a' }, { 'x-vault-id': id });
    for (const who of [closed, reading, writing]) {
      for (const answer of [await put(who, hidden), await who.get('/folders', { 'x-vault-id': hidden })]) {
        const body = { error: 'API key does not have access to this vault' };
        assert.deepEqual([answer.status, answer.body], [403, body]);
      }
      assert.equal((await who.get(`/vaults/${hidden}`)).status, 404);
      assert.equal((await who.patch(`/vaults/${hidden}`, { name: 'x' })).status, 404);
      assert.equal((await who.get('/folders', { 'x-vault-id': shown })).status, 200);
      const refused = await put(who, shown);
      assert.deepEqual([refused.status, refused.body], [403, { error: 'insufficient_access', required: 'write' }]);
      assert.equal(refused.headers.get('www-authenticate'), 'Bearer error="insufficient_scope"');
      assert.equal((await put(who, full)).status, 200);
    }
    assert.deepEqual(
      [(await put(closed, later)).status, (await put(reading, later)).status, (await put(writing, later)).status],
      [403, 403, 200],
    );
    for (const who of [closed, reading]) {
      const answer = await who.post('/vaults', { name: 'New' });
      assert.deepEqual([answer.status, answer.body], [403, { error: 'insufficient_access', required: 'write' }]);
    }
    assert.equal((await writing.post('/vaults', { name: 'New' })).status, 201);
  });

  test('are read-only with the scope mcp:read', async () => {
    await using at = await startChecked({ open });
    const [one, two] = [await at.vault(at.alice, 'One'), await at.vault(at.alice, 'Two')];
    const make = async (fields: object) =>
      at.bearer((await at.alice.post('/connections/pat', { name: 'K', ...fields })).body.key);
    const [reads, bound, whole] = [
      await make({ scope: 'mcp:read' }),
      await make({ scope: 'mcp:read', vault_access: { [one]: 'write', [two]: 'none' } }),
      await make({ scope: 'mcp' }),
    ];
    const write = (who: Caller, id: string) =>
      who.post('/notes', { path: 'A.md', mtime: 1 }, { 'x-vault-id': id }).then(({ status }) => status);
    assert.deepEqual([await write(reads, one), await write(bound, one), await write(whole, one)], [403, 403, 200]);
    assert.equal((await reads.get('/notes/A.md', { 'x-vault-id': one })).status, 200);
    assert.equal((await bound.get('/notes/A.md', { 'x-vault-id': one })).status, 200);
    assert.equal((await bound.get('/notes/A.md', { 'x-vault-id': two })).status, 403);
    assert.equal((await reads.post('/vaults', { name: 'New' })).status, 403);
  });

  test('the vaults of a restricted key without a header mean the only accessible vault, else the default one', async () => {
    await using at = await startChecked({ open });
    const [first, second] = [await at.vault(at.alice, 'First'), await at.vault(at.alice, 'Second')];
    const make = async (vault_access: object) =>
      at.bearer((await at.alice.post('/api-keys', { name: 'K', vault_access })).body.key);
    const only = await make({ [second]: 'write' });
    assert.equal((await only.post('/notes', { path: 'S.md', mtime: 1 })).status, 200);
    assert.equal((await at.alice.get('/notes/S.md', { 'x-vault-id': second })).status, 200);
    const both = await make({ [first]: 'read', [second]: 'write' });
    assert.equal((await both.get('/notes/S.md')).status, 404);
    assert.equal((await both.post('/notes', { path: 'S.md', mtime: 1 })).status, 403);
  });
});

const small = { ...builtinPlans.self_hosted, pats_cap: 10 };

onSqlite('the cap on API keys and personal access tokens', (open) => {
  test('counts both together, and fifty creates at once make exactly as many as allowed', async () => {
    await using at = await startChecked({ open, config: { plans: { ...builtinPlans, small }, defaultPlan: 'small' } });
    const limit = {
      error: 'limit_exceeded',
      reason: 'pats_cap_exceeded',
      limit_key: 'pats_cap',
      tier: 'small',
      current: 10,
      limit: 10,
      upgrade_url: null,
    };
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, n) =>
        at.alice.post(n % 2 === 0 ? '/api-keys' : '/connections/pat', { name: `K${n}` }),
      ),
    );
    const made = answers.filter(({ status }) => status < 300);
    const refused = answers.filter(({ status }) => status === 402);
    assert.deepEqual([made.length, refused.length], [10, 40]);
    for (const { body } of refused) assert.deepEqual(body, limit);
    assert.equal((await at.alice.get('/api-keys')).body.keys.length, 10);
    await at.alice.delete(`/api-keys/${made[0]?.body.id}`);
    assert.equal((await at.alice.post('/connections/pat', { name: 'Next' })).status, 201);
    assert.equal((await at.bob.post('/api-keys', { name: 'Bob’s own' })).status, 200);
  });
});

onSqlite('keys of unusable accounts', (open) => {
  test('are refused while the account is suspended, and deleted with it', async () => {
    await using at = await startChecked({ open });
    await at.server.alice.signed();
    const { key } = (await at.bob.post('/api-keys', { name: 'K' })).body;
    const status = async () => (await at.bearer(key).get('/me')).status;
    await at.server.app.accounts.setSuspended(at.server.bob.email, true);
    assert.equal(await status(), 403);
    await at.server.app.accounts.setSuspended(at.server.bob.email, false);
    assert.equal(await status(), 200);
    const { accessToken } = await at.server.app.accounts.login(at.server.bob);
    const gone = await at.bearer(accessToken).delete('/me', { password: at.server.bob.password });
    assert.equal(gone.status, 200);
    assert.equal(await status(), 401);
  });
});
