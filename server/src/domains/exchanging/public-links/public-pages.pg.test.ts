import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countedDatabase } from '../../../../test/kit/database/counted-database.ts';
import { onEachEngine } from '../../../../test/kit/engines.ts';
import { form, formToken, open, PNG, pathOf, startPublic } from '../../../../test/kit/public-pages.ts';
import { oneServer, startServer } from '../../../../test/kit/server.ts';
import { currentTenant } from '../../../concurrency/tenant.ts';
import { PUBLIC_PAGES } from '../../../config/limits.ts';
import type { Database } from '../../../ports/database/database.ts';
import { findLink } from './public-links.store.ts';

/** Calls a function before links are looked up in a database. */
function observed(db: Database, before: () => Promise<void> | void): Database {
  return new Proxy(db, {
    get(target, name) {
      const own: unknown = Reflect.get(target, name, target);
      if (typeof own !== 'function') return own;
      return async (...sent: unknown[]) => {
        if (sent[0] === findLink) await before();
        return await own.apply(target, sent);
      };
    },
  });
}

/** With the common limits of addresses, which tests send themselves. */
const LIMITED = { authRateLimit: 10, trustProxy: ['127.0.0.1'] };
const [ONE, OTHER] = ['192.0.2.1', '192.0.2.2'];
const from = (ip: string, init: RequestInit = {}) => ({ ...init, headers: { ...init.headers, 'x-forwarded-for': ip } });

/** Sends requests, a hundred at once; resolves to how often each status came. */
async function tally(count: number, send: (nth: number) => Promise<{ readonly status: number }>) {
  const counts: Record<number, number> = {};
  for (let at = 0; at < count; at += 100) {
    const some = Array.from({ length: Math.min(100, count - at) }, (_, nth) => send(at + nth));
    for (const { status } of await Promise.all(some)) counts[status] = (counts[status] ?? 0) + 1;
  }
  return counts;
}

onEachEngine('pages of public links', (openDatabase) => {
  const start = oneServer(() => ({ open: openDatabase }));

  test('requests for public pages count against a share of their own, whatever networks they come from', async () => {
    const tenants: string[] = [];
    const db = observed(await openDatabase(), () => void tenants.push(currentTenant()));
    await using server = await startServer({ open: async () => db, config: LIMITED });
    const paths = ['/s/x', '/s/y/n/z', '/s/z/files/a'];
    await Promise.all(paths.map((path, nth) => open(server, path, from(`192.0.2.${nth}`))));
    assert.deepEqual(tenants, Array(3).fill('public pages'));
  });

  test('a network may open 600 public pages a minute, by HEAD and wrong tokens too; others are not limited', async () => {
    const db = countedDatabase(await openDatabase());
    await using server = await startServer({ open: async () => db, config: LIMITED });
    const { alice, write, link } = await startPublic(server);
    const note = await write('Popular.md', 'canary-text');
    const [first, second] = [await link({ note_id: note }), await link({ note_id: note })];
    const head = from(ONE, { method: 'HEAD' });
    const ways = [
      () => open(server, first.path, from(ONE)),
      () => open(server, first.path, head),
      () => open(server, '/s/guessed', from(ONE)),
    ];
    assert.deepEqual(await tally(600, async (nth) => (await ways[nth % 3]?.()) ?? assert.fail()), {
      200: 400,
      404: 200,
    });
    db.reset();
    for (const path of [first.path, second.path, '/s/guessed']) {
      const { status, headers, text } = await open(server, path, from(ONE));
      assert.deepEqual([status, headers.get('retry-after')], [429, '60'], path);
      assert.match(text, /<p>Too many attempts\. Wait a minute, then try again\.<\/p>/);
      assert.doesNotMatch(text, /canary|Popular/);
    }
    assert.equal((await open(server, first.path, head)).status, 429);
    assert.equal(db.counts.statements, 0);
    assert.equal((await open(server, first.path, from(OTHER))).status, 200);
    assert.equal((await alice.get('/me', { 'x-forwarded-for': ONE })).status, 200);
    server.clock.advance({ minutes: 1 });
    assert.equal((await open(server, first.path, from(ONE))).status, 200);
  });

  test('a network may request 1,200 public files a minute, by wrong signatures too, beside the pages', async () => {
    await using server = await startServer({ open: openDatabase, config: LIMITED });
    const { write, attach, link } = await startPublic(server);
    await attach('pic.png', PNG);
    const { path } = await link({ note_id: await write('Pictures.md', '![[pic.png]]') });
    const [, file = ''] = /<img src="([^"]+)"/.exec((await open(server, path)).text) ?? [];
    assert.deepEqual(await tally(1_200, () => open(server, `${file}x`, from(ONE))), { 404: 1_200 });
    const refused = await open(server, file, from(ONE));
    assert.deepEqual([refused.status, refused.headers.get('retry-after')], [429, '60']);
    assert.equal((await open(server, path, from(ONE))).status, 200);
    assert.equal((await open(server, file, from(OTHER))).status, 200);
    server.clock.advance({ minutes: 1 });
    assert.equal((await open(server, file, from(ONE))).status, 200);
  });

  test('a network may send as many passwords of public links a minute as sign-ins, beside the pages', async () => {
    await using server = await startServer({ open: openDatabase, config: LIMITED });
    const { write, link } = await startPublic(server);
    const { path } = await link({ note_id: await write('Locked.md', 'x'), password: 'right' });
    const token = formToken((await open(server, path)).text);
    const attempt = (ip: string) => open(server, path, from(ip, form({ password: 'right', token })));
    assert.deepEqual(await tally(10, () => attempt(ONE)), { 303: 10 });
    const refused = await attempt(ONE);
    assert.deepEqual([refused.status, refused.headers.get('retry-after')], [429, '60']);
    assert.equal((await open(server, path, from(ONE))).status, 401);
    assert.equal((await attempt(OTHER)).status, 303);
  });

  test('a network whose requests for public pages wait is refused more of them, and others are served', async () => {
    const held = Promise.withResolvers<void>();
    let isHeld = false;
    const db = observed(await openDatabase(), () => (isHeld ? held.promise : undefined));
    await using server = await startServer({ open: async () => db, config: { ...LIMITED, authRateLimit: 0 } });
    const { alice, write, link } = await startPublic(server);
    const { path } = await link({ note_id: await write('Popular.md', 'x') });
    const answers: ReturnType<typeof open>[] = [];
    const places = PUBLIC_PAGES.unitsPerTenant + PUBLIC_PAGES.waitingPerTenant;
    isHeld = true;
    while (answers.length <= places) {
      const left = Math.min(100, places + 1 - answers.length);
      answers.push(...Array.from({ length: left }, () => open(server, path, from(ONE))));
      // The kernel resets connections beyond the 511 that wait to be accepted.
      assert.equal((await alice.get('/me', { 'x-forwarded-for': ONE })).status, 200);
    }
    const refused = await Promise.race(answers);
    assert.deepEqual([refused.status, refused.headers.get('retry-after')], [503, '1']);
    assert.match(refused.text, /The server is overloaded/);
    isHeld = false;
    assert.equal((await open(server, path, from(OTHER))).status, 200);
    held.resolve();
    const statuses = (await Promise.all(answers)).map(({ status }) => status);
    assert.equal(statuses.filter((status) => status === 200).length, places);
  });

  test('addresses that open nothing cost the same statements, whatever is wrong with them', async () => {
    const db = countedDatabase(await openDatabase());
    await using server = await startServer({ open: async () => db });
    const { alice, headers, write, link } = await startPublic(server);
    const ended = await link({ note_id: await write('Ended.md', 'x') });
    const expired = await link({ note_id: await write('Expired.md', 'x'), expires_in: 60 });
    await alice.delete(`/vault/links/${ended.id}`, undefined, headers);
    server.clock.advance({ minutes: 2 });
    const live = await link({ note_id: await write('Live.md', 'x') });
    const counts = [];
    for (const path of [ended.path, expired.path, live.path.slice(0, -1), '/s/guessed', `/s/${'x'.repeat(500)}`]) {
      await open(server, path);
      db.reset();
      assert.equal((await open(server, path)).status, 404);
      counts.push(db.counts.statements);
    }
    assert.deepEqual(new Set(counts).size, 1, JSON.stringify(counts));
  });

  test('a public link follows its vault through hand-over, suspension, deletion and purge', async () => {
    const shared = await startPublic(await start());
    const { server, alice, bob, headers, vault, note, link } = shared;
    const { path } = await link({ note_id: note });
    const statuses: number[] = [];
    const look = async () => statuses.push((await open(server, path)).status);
    const bobs = await shared.join(bob, 'editor');
    await alice.patch(`${shared.path}/${bobs}`, { role: 'owner' });
    await look();
    await alice.patch(`/admin/users/${bobs}`, { suspended: true });
    await look();
    await alice.patch(`/admin/users/${bobs}`, { suspended: false });
    const again = server.bearer(
      (await server.anyone.post('/auth/login', { email: server.bob.email, password: server.bob.password })).body
        .access_token,
    );
    await look();
    await again.delete(`/vaults/${vault}`);
    await look();
    await again.post(`/vaults/${vault}/restore`);
    await look();
    const second = pathOf((await again.post('/vault/links', { note_id: note }, headers)).body.url);
    assert.equal((await open(server, second)).status, 200);
    await again.delete(`/vaults/${vault}`);
    server.clock.advance({ days: 400 });
    await server.app.vaults.purgeDue(server.clock.now());
    await look();
    assert.equal((await open(server, second)).status, 404);
    assert.equal(await server.app.publicLinks.count(), 0);
    assert.deepEqual(statuses, [200, 404, 200, 404, 200, 404]);
  });
});
