/**
 * Rows and tokens with a term that were made by a clock 400 days ahead, after it was set right: they last for as long as
 * if they were made then.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shortenTerms, TERMS } from '../../../src/app/terms.ts';
import { onEachEngine, onSqlite, rawOf } from '../../kit/engines.ts';
import type { Caller } from '../../kit/person.ts';
import { startServer, type TestServer } from '../../kit/server.ts';

const DAYS = 400;

/** Signs alice in, for requests after the clock was set. */
async function signIn({ alice, anyone, bearer }: TestServer): Promise<Caller> {
  const { email, password } = alice;
  return bearer((await anyone.post('/auth/login', { email, password })).body.access_token);
}

onEachEngine('terms set while the clock was ahead', (open, engine) => {
  test('every table with a term is listed', async () => {
    const db = await open();
    await using raw = await rawOf(db);
    const found =
      engine === 'sqlite'
        ? await raw.all(
            "select m.name as t from sqlite_schema m, pragma_table_info(m.name) c where m.type = 'table' and c.name = 'expires_at'",
          )
        : await raw.all("select table_name as t from information_schema.columns where column_name = 'expires_at'");
    const tables = found.map(({ t }) => String(t)).sort();
    assert.deepEqual(tables, [...new Set(TERMS.map(([table]) => table))].sort());
  });

  test('a term is shortened once the clock is right, and one of a right clock never is', async () => {
    const db = await open();
    await using server = await startServer({ open: async () => db });
    const { alice, anyone, bearer, clock } = server;
    const { email, password } = alice;
    const { vault } = (await alice.post('/vaults', { name: 'Home' })).body;
    const login = async () => await anyone.post('/auth/login', { email, password });
    await login();
    await using raw = await rawOf(db);
    const terms = async (table: string) =>
      (await raw.all(`select expires_at from ${table}`)).map((row) => Number(row.expires_at)).sort((a, b) => a - b);
    const before = [await terms('sessions'), await terms('access_tokens')];
    await shortenTerms(db, clock);
    assert.deepEqual([await terms('sessions'), await terms('access_tokens')], before);

    clock.shiftWall({ days: DAYS });
    const ahead = await login();
    const caller = bearer(ahead.body.access_token);
    assert.equal((await caller.post(`/vaults/${vault.id}/invitations`, { role: 'viewer' })).status, 201);
    const ticket = await caller.post('/tickets', { operation: 'vault.export' }, { 'x-vault-id': vault.id });
    assert.equal(ticket.status, 200);
    await anyone.post('/auth/device', { client_id: 'x', device_name: 'phone' });
    clock.shiftWall({ days: -DAYS });

    await shortenTerms(db, clock);
    for (const [table, ms] of TERMS) {
      const latest = table === 'oauth_tokens' ? Number.POSITIVE_INFINITY : clock.now() + ms;
      for (const end of await terms(table)) assert.ok(end <= latest, `${table} ends at ${new Date(end).toISOString()}`);
    }
    assert.equal((await caller.get('/me')).status, 200);
    clock.advance({ minutes: 15 });
    assert.equal((await caller.get('/me')).status, 401);
    const cookie = ahead.headers.getSetCookie()[0]?.split(';')[0] ?? '';
    clock.advance({ days: 30 });
    assert.equal((await anyone.post('/auth/refresh', undefined, { cookie })).status, 401);
  });

  test('a refresh token that was replaced while the clock was ahead counts as reused', async () => {
    await using server = await startServer({ open });
    const { alice, anyone, clock } = server;
    await alice.get('/me');
    const { email, password } = alice;
    const cookieOf = (answer: { headers: Headers }) => answer.headers.getSetCookie()[0]?.split(';')[0] ?? '';
    const refresh = (cookie: string) => anyone.post('/auth/refresh', undefined, { cookie });
    const first = cookieOf(await anyone.post('/auth/login', { email, password }));
    clock.shiftWall({ days: 20 });
    const second = cookieOf(await refresh(first));
    clock.shiftWall({ days: -20 });
    assert.equal((await refresh(first)).status, 401);
    assert.equal((await refresh(second)).status, 401, 'its family has ended');
  });

  test('a deletion wins over other devices for a minute, not until that date', async () => {
    await using server = await startServer({ open });
    const { alice, clock } = server;
    const { vault } = (await alice.post('/vaults', { name: 'Home' })).body;
    const headers = { 'x-vault-id': vault.id, 'x-device-id': 'laptop' };
    const { note } = (await alice.post('/notes', { path: 'a.md', content: 'a', mtime: 1 }, headers)).body;
    clock.shiftWall({ days: DAYS });
    assert.equal((await (await signIn(server)).delete(`/notes/by-id/${note.id}`, undefined, headers)).status, 200);
    clock.shiftWall({ days: -DAYS });
    const phone = { ...headers, 'x-device-id': 'phone' };
    const write = { path: 'a.md', content: 'a', mtime: 2 };
    assert.equal((await (await signIn(server)).post('/notes', write, phone)).status, 200);
  });

  test('a note that was deleted while the clock was ahead stays in the trash, and can be restored', async () => {
    await using server = await startServer({ open });
    const { alice, app, clock } = server;
    await alice.post('/vaults', { name: 'Home' });
    const { note } = (await alice.post('/notes', { path: 'a.md', content: 'a', mtime: 1 })).body;
    clock.shiftWall({ days: DAYS });
    assert.equal((await (await signIn(server)).delete(`/notes/by-id/${note.id}`)).status, 200);
    clock.shiftWall({ days: -DAYS });
    clock.advance({ days: 100 });
    await app.entries.trash.trim();
    await app.sync.dropExpired();
    assert.equal((await (await signIn(server)).post(`/trash/${note.id}/restore`)).status, 200);
  });

  test('a device that was seen while the clock was ahead is recorded again', async () => {
    const db = await open();
    await using server = await startServer({ open: async () => db });
    const { alice, clock } = server;
    await alice.post('/vaults', { name: 'Home' });
    await alice.post('/notes', { path: 'a.md', content: 'a', mtime: 1 });
    const { resume_cursor: cursor } = (await alice.get('/sync/changes')).body;
    const ask = async () => (await signIn(server)).get(`/sync/changes?cursor=${cursor}`, { 'x-device-id': 'phone' });
    clock.shiftWall({ days: DAYS });
    assert.equal((await ask()).status, 200);
    clock.shiftWall({ days: -DAYS });
    assert.equal((await ask()).status, 200);
    await using raw = await rawOf(db);
    assert.deepEqual(
      (await raw.all('select seen_at from sync_devices')).map((row) => Number(row.seen_at)),
      [clock.now()],
    );
  });
});

onSqlite('signed terms of a clock that was ahead', (open) => {
  test('a cursor of a search is refused', async () => {
    await using server = await startServer({ open });
    const { alice, clock } = server;
    await alice.post('/vaults', { name: 'Home' });
    for (const path of ['a.md', 'b.md']) await alice.post('/notes', { path, content: 'roses', mtime: 1 });
    const page = async (cursor?: string) =>
      (await signIn(server)).post('/search', { query: 'roses', limit: 1, cursor });
    clock.shiftWall({ days: DAYS });
    const { next_cursor: cursor } = (await page()).body;
    assert.equal((await page(cursor)).status, 200);
    clock.shiftWall({ days: -DAYS });
    assert.equal((await page(cursor)).body.error, 'invalid_cursor');
  });
});
