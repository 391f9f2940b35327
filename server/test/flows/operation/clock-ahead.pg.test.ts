/**
 * A clock that was 400 days ahead and is right again. Nothing that was stored or remembered meanwhile may hold up work,
 * or skip a check, until that date. docs/operations.md lists the places; the daily backup is tested beside its code.
 */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import type { VaultId } from '@notevault/protocol/values/ids.ts';
import { listBackups } from '../../../src/backup/read/source.ts';
import { overdueNotes } from '../../../src/domains/content/notes/live/flush/flush.ts';
import { builtinPlans, createRateLimits } from '../../../src/domains/foundation/plans/plans.ts';
import type { CollaborationDeps } from '../../../src/domains/reading/sync/sockets/collaboration.ts';
import { PermissionCache } from '../../../src/domains/reading/sync/sockets/permission-cache.ts';
import { SlowCall } from '../../kit/clients/slow-call.ts';
import { YjsClient } from '../../kit/clients/yjs-client.ts';
import { testClock } from '../../kit/clock.ts';
import { zipOf } from '../../kit/content/archives.ts';
import { onEachEngine, onSqlite, rawOf } from '../../kit/engines.ts';
import { Folder } from '../../kit/programs/process.ts';
import { startServer } from '../../kit/server.ts';
import { turns, until } from '../../kit/until.ts';

const DAYS = 400;
const AHEAD_MS = DAYS * 86_400_000;

test('a backup taken by a clock that was ahead is not the newest', async () => {
  using folder = new Folder();
  const names = ['20270101T020000000Z', '20270102T020000000Z', '20280205T020000000Z'];
  for (const name of names) {
    mkdirSync(folder.at(name));
    writeFileSync(folder.at(name, 'manifest.json'), '{}');
  }
  const [first, second, ahead] = names;
  assert.deepEqual(await listBackups(folder.path, Date.UTC(2027, 0, 2, 3)), [second, first, ahead]);
  assert.deepEqual(await listBackups(folder.path, Date.UTC(2028, 1, 6)), [ahead, second, first]);
});

test('a permission checked while the clock was ahead is checked again a second later', async () => {
  const clock = testClock();
  const caller = async () => ({ userId: 'alice' });
  const hooks = { authenticate: caller, recall: caller };
  const deps = { clock, hooks, vaults: { openVault: async () => ({ id: 'home', permission: 'write' }) } };
  const cache = new PermissionCache(deps as unknown as CollaborationDeps);
  clock.shiftWall({ days: DAYS });
  const { permission } = await cache.decide('a token', {} as never, async () => 'home' as VaultId);
  assert.ok(permission !== null);
  clock.shiftWall({ days: -DAYS });
  assert.equal(cache.isFresh(permission), true);
  clock.advance({ ms: 1001 });
  assert.equal(cache.isFresh(permission), false);
  clock.shiftWall({ days: DAYS });
  await cache.standingOf(permission).renew();
  clock.shiftWall({ days: -DAYS });
  assert.equal(cache.isFresh(permission), true);
  clock.advance({ ms: 1001 });
  assert.equal(cache.isFresh(permission), false, 'also after it was decided anew for a write');
});

test('requests counted while the clock was ahead count for a minute', () => {
  const clock = testClock();
  const limits = createRateLimits(clock, { free: { ...builtinPlans.free, requests_per_minute: 1 } });
  const use = () => limits.consume('alice' as never, 'free', { onboarding: false });
  clock.shiftWall({ days: DAYS });
  use();
  assert.throws(use, { code: 'rate_limited' });
  clock.shiftWall({ days: -DAYS });
  clock.advance({ minutes: 1 });
  use();
});

onSqlite('throttles of sign-ins and links', (open) => {
  test('wrong passwords tried while the clock was ahead refuse nobody once it is right', async () => {
    await using server = await startServer({ open });
    const { email, password } = server.alice;
    await server.alice.get('/me');
    const login = async (sent: string) => (await server.anyone.post('/auth/login', { email, password: sent })).status;
    server.clock.shiftWall({ days: DAYS });
    for (let nth = 0; nth < 10; nth += 1) assert.equal(await login('a wrong password'), 401);
    assert.equal(await login(password), 429);
    server.clock.shiftWall({ days: -DAYS });
    assert.equal(await login(password), 200);
  });

  test('requests of a network counted while the clock was ahead count for a minute', async () => {
    await using server = await startServer({ open, config: { authRateLimit: 2 } });
    const ask = async () => (await server.anyone.post('/auth/device', { client_id: 'x', device_name: 'phone' })).status;
    server.clock.shiftWall({ days: DAYS });
    for (const expected of [200, 200, 429]) assert.equal(await ask(), expected);
    server.clock.shiftWall({ days: -DAYS });
    assert.equal(await ask(), 429);
    server.clock.advance({ minutes: 1 });
    assert.equal(await ask(), 200);
  });
});

onSqlite('an upload by a ticket that began while the clock was ahead', (open) => {
  test('is cut when its credential is revoked', async () => {
    const db = await open();
    await using server = await startServer({ open: async () => db });
    const { alice, bearer, clock } = server;
    const { vault } = (await alice.post('/vaults', { name: 'Home' })).body;
    const { id, key } = (await alice.post('/api-keys', { name: 'k', vault_access: { [vault.id]: 'write' } })).body;
    clock.shiftWall({ days: DAYS });
    const asked = { operation: 'attachment.put', path: 'a.txt' };
    const { url } = (await bearer(key).post('/tickets', asked, { 'x-vault-id': vault.id })).body;
    const path = new URL(url).pathname.slice('/api'.length);
    const call = new SlowCall(server, 'PUT', path, Buffer.alloc(2), { 'content-length': '100000000' });
    await using raw = await rawOf(db);
    await until(async () => (await raw.all('select hash from tickets')).length === 0, 'the use of the ticket');
    await turns();
    clock.shiftWall({ days: -DAYS });
    assert.equal((await alice.delete(`/api-keys/${id}`)).status, 200);
    clock.advance({ seconds: 1 });
    await until(() => {
      call.write(Buffer.alloc(1000, 'a'));
      return call.isAnswered;
    }, 'the end of the stream');
    assert.equal((await call.answer()).status, 404);
  });
});

onEachEngine('after a clock that was ahead', (open) => {
  test('wrong codes of devices no longer count, and neither does a poll', async () => {
    await using server = await startServer({ open });
    const { alice, anyone, clock } = server;
    const { vault } = (await alice.post('/vaults', { name: 'Home' })).body;
    const { email, password } = alice;
    const decide = async (user_code: string) => {
      const { access_token } = (await anyone.post('/auth/login', { email, password })).body;
      const decision = { user_code, vault_id: vault.id };
      return (await server.bearer(access_token).post('/auth/device/authorize', decision)).status;
    };
    const begin = async () => (await anyone.post('/auth/device', { client_id: 'x', device_name: 'phone' })).body;
    clock.shiftWall({ days: DAYS });
    for (let nth = 0; nth < 10; nth += 1) assert.equal(await decide('BBBB-BBBB'), 404);
    const early = await begin();
    const poll = async () => (await anyone.post('/auth/device/token', { device_code: early.device_code })).body.error;
    assert.equal(await poll(), 'authorization_pending');
    clock.shiftWall({ days: -DAYS });
    assert.equal(await poll(), 'authorization_pending');
    assert.equal(await decide((await begin()).user_code), 200);
  });

  test('an import that a process left is taken over', async () => {
    const db = await open();
    await using server = await startServer({ open: async () => db });
    const { alice, app, clock } = server;
    const { vault } = (await alice.post('/vaults', { name: 'Home' })).body;
    const zip = zipOf([{ name: 'imported.md', data: 'imported' }]);
    const sent = { 'content-type': 'application/octet-stream' };
    assert.equal((await alice.post(`/imports?vault_id=${vault.id}`, zip, sent)).status, 202);
    await using raw = await rawOf(db);
    await raw.run("update imports set state = 'running', lease_until = $1", clock.now() + AHEAD_MS);
    await app.imports.runWaiting();
    assert.equal((await alice.get('/imports')).body.imports[0].state, 'done');
  });

  test('vectors whose lease a process left are made', async () => {
    const db = await open();
    await using server = await startServer({ open: async () => db });
    const { alice, app, clock } = server;
    await alice.post('/vaults', { name: 'Home' });
    await alice.post('/notes', { path: 'a.md', content: 'roses', mtime: 1 });
    await alice.post('/search', { query: 'roses', mode: 'vector' });
    await alice.post('/notes', { path: 'b.md', content: 'violets', mtime: 1 });
    await using raw = await rawOf(db);
    const lease = [clock.uuid(), clock.now() + AHEAD_MS] as const;
    await raw.run('update search_embeddings set lease = $1, lease_until = $2', ...lease);
    await app.search.embed(new AbortController().signal);
    const [row] = await raw.all('select lease_until from search_embeddings');
    assert.equal(Number(row?.lease_until), 0);
    assert.equal((await raw.all('select note_id from search_vectors')).length, 2);
  });

  test('edits that wait are found', async () => {
    const db = await open();
    await using server = await startServer({ open: async () => db });
    const { alice, app, clock } = server;
    const { vault } = (await alice.post('/vaults', { name: 'Home' })).body;
    const { note } = (await alice.post('/notes', { path: 'a.md', content: 'a', mtime: 1 })).body;
    clock.shiftWall({ days: DAYS });
    using editor = await new YjsClient('alice').join(app, vault.id, note.id);
    assert.equal(await editor.type(' b'), 'stored');
    clock.shiftWall({ days: -DAYS });
    const found = (await Array.fromAsync(overdueNotes(db, clock))).flatMap((notes) => [...notes.keys()]);
    assert.deepEqual(found, [note.id]);
  });

  test('the last use of a key is shown again', async () => {
    await using server = await startServer({ open });
    const { alice, app, clock } = server;
    const { vault } = (await alice.post('/vaults', { name: 'Home' })).body;
    const made = await alice.post('/connections/pat', { name: 'script', vault_access: { [vault.id]: 'read' } });
    const use = async () => {
      assert.equal((await server.bearer(made.body.key).get('/sync/manifest')).status, 200);
      await app.credentials.flushLastUsed();
    };
    clock.shiftWall({ days: DAYS });
    await use();
    clock.shiftWall({ days: -DAYS });
    await use();
    const [shown] = (await alice.get('/connections')).body;
    assert.ok(Date.parse(shown.last_used_at) <= clock.now());
  });
});
