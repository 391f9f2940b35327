import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countedDatabase } from '../../../../test/kit/database/counted-database.ts';
import { onEachEngine } from '../../../../test/kit/engines.ts';
import { open, pathOf, startPublic } from '../../../../test/kit/public-pages.ts';
import { oneServer, startServer } from '../../../../test/kit/server.ts';
import { currentTenant } from '../../../concurrency/tenant.ts';
import type { Database } from '../../../ports/database/database.ts';
import { findLink } from './public-links.store.ts';

/** Adds to a database a list of the tenants for which links are looked up. */
function observed(db: Database, tenants: string[]): Database {
  return new Proxy(db, {
    get(target, name) {
      const own: unknown = Reflect.get(target, name, target);
      if (typeof own !== 'function') return own;
      return (...sent: unknown[]) => {
        if (sent[0] === findLink) tenants.push(currentTenant());
        return own.apply(target, sent);
      };
    },
  });
}

onEachEngine('pages of public links', (openDatabase) => {
  const start = oneServer(() => ({ open: openDatabase }));

  test('requests for public pages count against a share of their own, one for each network', async () => {
    const tenants: string[] = [];
    await using server = await startServer({ open: async () => observed(await openDatabase(), tenants) });
    await Promise.all(['/s/x', '/s/y/n/z', '/s/z/files/a'].map((path) => open(server, path)));
    assert.deepEqual(tenants, Array(3).fill('pages of 127.0.0.1'));
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
