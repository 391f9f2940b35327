import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEachEngine } from '../../../../test/kit/engines.ts';
import { type Caller, Person } from '../../../../test/kit/person.ts';
import { oneServer } from '../../../../test/kit/server.ts';
import { startShared, tokenOf } from '../../../../test/kit/shared-vault.ts';
import { builtinPlans, type PlanTable } from '../../foundation/plans/plans.ts';

const EMAILS = /[\w.]+@[\w.]+/;

const refusalOf = ({ status, body }: Awaited<ReturnType<Caller['get']>>) => [status, body?.error];

onEachEngine('members', (open) => {
  const start = oneServer(() => ({ open }));

  test('see a shared vault beside their own, with their role, and work in it as that allows', async () => {
    const { alice, bob, carol, dave, headers, note, vault, join, path } = await startShared(await start());
    await alice.patch('/me', { display_name: 'Alice' });
    const own = (await bob.post('/vaults', { name: 'Bob’s' })).body.vault;
    await join(bob, 'viewer');
    const listed = (await bob.get('/vaults')).body.vaults as { id: string; is_default: boolean }[];
    const seen = listed.find(({ id }) => id === vault);
    assert.deepEqual(seen, {
      ...seen,
      ...{ role: 'viewer', owner: { display_name: 'Alice' }, members: 1, access: 'read', is_default: false },
    });
    assert.equal(listed.find(({ id }) => id === own.id)?.is_default, true);
    assert.equal((await bob.get(`/notes/by-id/${note}`, headers)).body.content, 'one');
    // Without a header it is their own that is chosen.
    assert.deepEqual((await bob.get('/notes/recent')).body.notes, []);
    const write = { path: 'b.md', content: 'two', mtime: 1 };
    assert.deepEqual(refusalOf(await bob.post('/notes', write, headers)), [403, 'insufficient_access']);
    for (const url of ['/trash', `/notes/by-id/${note}/versions`]) {
      assert.deepEqual(refusalOf(await bob.get(url, headers)), [403, 'insufficient_access'], url);
    }
    const carols = await join(carol, 'editor');
    assert.equal((await carol.post('/notes', write, headers)).status, 200);
    assert.equal((await carol.get('/trash', headers)).status, 200);
    assert.deepEqual(refusalOf(await carol.patch(`/vaults/${vault}`, { name: 'Mine' })), [403, 'owner_required']);
    assert.deepEqual(refusalOf(await carol.delete(`/vaults/${vault}`)), [403, 'owner_required']);
    assert.deepEqual(refusalOf(await carol.patch(`${path}/${carols}`, { role: 'owner' })), [403, 'owner_required']);
    assert.deepEqual(refusalOf(await dave.get(`/vaults/${vault}`)), [404, 'not found']);
  });

  test('the members of a vault are listed, with addresses and invitations for the owner only', async () => {
    const { alice, bob, path, dave, invite, join, server } = await startShared(await start());
    await join(bob, 'editor');
    await invite({ role: 'viewer', email: 'Erin@Example.org' });
    const owners = (await alice.get(path)).body;
    assert.deepEqual(
      owners.members.map(({ role }: { role: string }) => role),
      ['owner', 'editor'],
    );
    assert.equal(owners.invitations[0].email, 'erin@example.org');
    assert.equal(owners.members[1].email, server.bob.email);
    const members = (await bob.get(path)).body;
    assert.ok(!('invitations' in members));
    assert.deepEqual(
      members.members.map(({ email }: { email?: string }) => email),
      [undefined, server.bob.email],
    );
    assert.deepEqual(refusalOf(await dave.get(path)), [404, 'not found']);
  });

  test('[S7] an invitation is used up by POST only, exactly as often as it says, and dead ones answer alike', async () => {
    await using shared = await startShared({ open, config: { authRateLimit: 1000 } });
    const { server, alice, bob, dave, vault } = shared;
    const { token } = await shared.invite({ role: 'viewer', uses: 3 });
    for (let i = 0; i < 5; i++) {
      const preview = await server.anyone.get(`/invitations/${token}`);
      assert.deepEqual([preview.status, preview.body.vault_name, preview.body.role], [200, 'Shared', 'viewer']);
      assert.doesNotMatch(JSON.stringify(preview.body), EMAILS);
    }
    const crowd = Array.from(
      { length: 10 },
      (_, i) => new Person(server.url, `guest${i}`, () => server.alice.signed()),
    );
    for (const guest of crowd) await guest.signed();
    const answers = await Promise.all(crowd.map((guest) => guest.post(`/invitations/${token}/accept`)));
    assert.equal(answers.filter(({ status }) => status === 200).length, 3);
    const first = crowd[answers.findIndex(({ status }) => status === 200)] as Person;
    assert.equal((await first.post(`/invitations/${token}/accept`)).status, 200, 'again, the same answer');
    const withdrawn = await shared.invite({ role: 'viewer' });
    assert.equal((await alice.delete(`/vaults/${vault}/invitations/${withdrawn.id}`)).status, 204);
    assert.equal((await alice.delete(`/vaults/${vault}/invitations/${withdrawn.id}`)).status, 404);
    const short = await shared.invite({ role: 'viewer', expires_in: 60 });
    server.clock.advance({ minutes: 1 });
    for (const dead of [token, withdrawn.token, short.token, 'nv_vin_none']) {
      assert.deepEqual(refusalOf(await server.anyone.get(`/invitations/${dead}`)), [404, 'invitation_invalid']);
      assert.deepEqual(refusalOf(await dave.post(`/invitations/${dead}/accept`)), [404, 'invitation_invalid']);
    }
    const named = await shared.invite({ role: 'editor', email: server.bob.email.toUpperCase() });
    const another = await dave.post(`/invitations/${named.token}/accept`);
    assert.deepEqual(refusalOf(another), [403, 'invitation_for_another']);
    assert.equal((await bob.post(`/invitations/${named.token}/accept`)).body.vault.role, 'editor');
    const fewer = await alice.post(`/vaults/${vault}/invitations`, { role: 'viewer', email: 'x@y.z', uses: 2 });
    assert.equal(fewer.status, 422);
  });

  test('an invitation never lowers a role, and is void for whoever was removed since it was made', async () => {
    const { alice, bob, path, invite, join, server } = await startShared(await start());
    const many = await invite({ role: 'viewer', uses: 5 });
    const bobs = await join(bob, 'editor');
    assert.equal((await bob.post(`/invitations/${many.token}/accept`)).body.vault.role, 'editor');
    assert.equal((await alice.post(`/invitations/${many.token}/accept`)).body.vault.role, 'owner');
    assert.equal((await alice.get(path)).body.invitations[0].uses_left, 5);
    assert.equal((await alice.delete(`${path}/${bobs}`)).status, 204);
    assert.deepEqual(refusalOf(await bob.post(`/invitations/${many.token}/accept`)), [404, 'invitation_invalid']);
    server.clock.advance({ ms: 1 });
    await join(bob, 'viewer');
    assert.equal((await bob.delete(`${path}/${bobs}`)).status, 204, 'who leaves may come back');
    server.clock.advance({ ms: 1 });
    await join(bob, 'viewer');
  });

  test('an invitation cannot restore a role that the owner has lowered since, not even after leaving', async () => {
    const { alice, bob, path, server, idOf, invite } = await startShared(await start());
    const [used, unused] = [await invite({ role: 'editor', uses: 5 }), await invite({ role: 'editor' })];
    const accept = ({ token }: { token: string }) => bob.post(`/invitations/${token}/accept`);
    assert.equal((await accept(used)).body.vault.role, 'editor');
    const bobs = await idOf(bob);
    server.clock.advance({ ms: 1 });
    assert.equal((await alice.patch(`${path}/${bobs}`, { role: 'viewer' })).body.member.role, 'viewer');
    assert.equal((await accept(used)).body.vault.role, 'viewer', 'again by a member: the same answer');
    assert.deepEqual(refusalOf(await accept(unused)), [404, 'invitation_invalid']);
    assert.equal((await bob.delete(`${path}/${bobs}`)).status, 204);
    assert.deepEqual(refusalOf(await accept(used)), [404, 'invitation_invalid']);
    server.clock.advance({ ms: 1 });
    assert.equal((await accept(await invite({ role: 'editor' }))).body.vault.role, 'editor', 'a later one does');
  });

  test('[M12] a vault is left by members, never by its owner, and only the owner removes others', async () => {
    const { alice, bob, carol, note, path, headers, idOf, join } = await startShared(await start());
    const [bobs, carols] = [await join(bob, 'editor'), await join(carol, 'editor')];
    const alices = await idOf(alice);
    assert.deepEqual(refusalOf(await bob.delete(`${path}/${carols}`)), [403, 'owner_required']);
    assert.deepEqual(refusalOf(await alice.delete(`${path}/${alices}`)), [409, 'owner_cannot_leave']);
    assert.deepEqual(refusalOf(await alice.patch(`${path}/${alices}`, { role: 'editor' })), [
      409,
      'owner_cannot_leave',
    ]);
    for (const id of [note, 'x']) assert.equal((await alice.delete(`${path}/${id}`)).status, 404);
    assert.equal((await bob.delete(`${path}/${bobs}`)).status, 204);
    assert.deepEqual(refusalOf(await bob.get('/sync/manifest', headers)), [404, 'Vault not found']);
    assert.deepEqual(refusalOf(await bob.delete(`${path}/${bobs}`)), [404, 'not found']);
    assert.equal((await alice.patch(`${path}/${carols}`, { role: 'viewer' })).body.member.role, 'viewer');
    assert.deepEqual(refusalOf(await carol.delete('/notes/a.md', undefined, headers)), [403, 'insufficient_access']);
  });

  test('handing over a vault makes the old owner an editor; defaults and client ids stay with each person', async () => {
    const { alice, bob, vault, path, join } = await startShared(await start());
    const registered = (await alice.post('/vaults/register', { client_id: 'laptop', name: 'Laptop' })).body;
    const invited = await alice.post(`/vaults/${registered.id}/invitations`, { role: 'editor' });
    await bob.post(`/invitations/${tokenOf(invited.body.url)}/accept`);
    const bobs = await join(bob, 'editor');
    const other = (await alice.post('/vaults', { name: 'Laptop' })).body.vault;
    assert.equal((await alice.patch(`${path}/${bobs}`, { role: 'owner' })).body.member.role, 'owner');
    const of = async (caller: Caller) =>
      new Map((await caller.get('/vaults')).body.vaults.map((each: { id: string }) => [each.id, each]));
    const [alices, bobsVaults] = [await of(alice), await of(bob)] as Map<
      string,
      { role: string; is_default: boolean }
    >[];
    assert.deepEqual([alices?.get(vault)?.role, bobsVaults?.get(vault)?.role], ['editor', 'owner']);
    assert.deepEqual([alices?.get(vault)?.is_default, bobsVaults?.get(vault)?.is_default], [false, true]);
    assert.equal(alices?.get(registered.id)?.is_default, true, 'the oldest that is left');
    await alice.patch(`/vaults/${registered.id}/members/${bobs}`, { role: 'owner' });
    const again = await alice.post('/vaults/register', { client_id: 'laptop', name: 'Another' });
    assert.deepEqual([again.status, again.body.status, again.body.id], [200, 'existing', registered.id]);
    assert.equal((await of(alice)).size, 3);
    assert.equal(typeof other.id, 'string');
    assert.deepEqual(refusalOf(await alice.delete(`/vaults/${registered.id}`)), [403, 'owner_required']);
    assert.equal((await bob.delete(`/vaults/${registered.id}`)).status, 200);
  });

  test('a vault is handed over only to somebody whose plan has room, and the owner learns nothing of it', async () => {
    const plans = { small: { vaults_cap: 1 } };
    await using shared = await startShared({ open, config: { plans: plansWith(plans) } });
    const { bob, alice, path } = shared;
    await bob.post('/vaults', { name: 'Own' });
    await shared.server.app.accounts.setPlan(shared.server.bob.email, 'small');
    const bobs = await shared.join(bob, 'viewer');
    const refused = await alice.patch(`${path}/${bobs}`, { role: 'owner' });
    assert.deepEqual(
      [refused.status, refused.body.tier, refused.body.current, refused.body.limit],
      [402, null, null, null],
    );
    assert.equal((await alice.get(`/vaults/${shared.vault}`)).body.vault.role, 'owner');
  });

  test('caps are those of the owner, and of a cap that is reached members learn only that it is', async () => {
    await using shared = await startShared({ open, config: { plans: plansWith({ small: { notes_cap: 1 } }) } });
    const { bob, alice, headers } = shared;
    await shared.server.app.accounts.setPlan(shared.server.alice.email, 'small');
    await shared.join(bob, 'editor');
    const note = { path: 'b.md', content: 'two', mtime: 1 };
    const refused = await bob.post('/notes', note, headers);
    const { reason, limit_key, tier, current, limit } = refused.body;
    assert.deepEqual([refused.status, reason, limit_key], [402, 'notes_cap_exceeded', 'notes_cap']);
    assert.deepEqual([tier, current, limit], [null, null, null]);
    assert.equal((await alice.post('/notes', note, headers)).body.limit, 1);
  });

  test('a cross-vault search covers shared vaults that the credential reaches, under the caller’s plan', async () => {
    await using shared = await startShared({
      open,
      config: { plans: plansWith({ small: { cross_vault_search: false } }) },
    });
    const { server, alice, bob, vault, headers, path } = shared;
    const bobs = await shared.join(bob, 'viewer');
    const own = (await bob.post('/vaults', { name: 'Own' })).body.vault.id as string;
    await alice.post('/notes', { path: 'b.md', content: 'anchor of alice', mtime: 1 }, headers);
    await bob.post('/notes', { path: 'b.md', content: 'anchor of bob', mtime: 1 }, { 'x-vault-id': own });
    const named = async (reach: object) =>
      server.bearer((await bob.post('/connections/pat', { name: 'key', ...reach })).body.key);
    const found = async (caller: Caller) => {
      const query = { query: 'anchor', mode: 'keyword', cross_vault: true };
      const { status, body } = await caller.post('/search', query, { 'x-vault-id': own });
      return status === 200 ? body.results.map((result: { vault_id: string }) => result.vault_id).sort() : status;
    };
    const both = await named({ vault_access: { [vault]: 'read', [own]: 'read' } });
    const everywhere = await named({ default_access: 'read' });
    assert.deepEqual([await found(bob), await found(both)], [[vault, own].sort(), [vault, own].sort()]);
    assert.deepEqual(await found(everywhere), [own], 'a shared vault must be named');
    await server.app.accounts.setPlan(server.alice.email, 'small');
    assert.deepEqual(await found(bob), [vault, own].sort(), 'not the plan of the owner counts');
    await alice.delete(`${path}/${bobs}`);
    assert.deepEqual([await found(bob), await found(both)], [[own], [own]]);
    await server.app.accounts.setPlan(server.bob.email, 'small');
    assert.equal(await found(bob), 403);
  });

  test('[S6] members of a suspended owner read and export but cannot write, and an admin hands the vault over', async () => {
    await using shared = await startShared({ open });
    const { server, alice, bob, carol, vault, headers } = shared;
    const own = (await bob.post('/vaults', { name: 'Bob’s' })).body.vault;
    const made = await bob.post(`/vaults/${own.id}/invitations`, { role: 'editor' });
    await carol.post(`/invitations/${tokenOf(made.body.url)}/accept`);
    const id = await shared.idOf(bob);
    for (const path of ['kept.md', 'gone.md']) {
      await bob.post('/notes', { path, content: path, mtime: 1 }, { 'x-vault-id': own.id });
    }
    await bob.delete('/notes/gone.md', undefined, { 'x-vault-id': own.id });
    assert.equal((await alice.patch(`/admin/users/${id}`, { suspended: true })).status, 200);
    const of = { 'x-vault-id': own.id };
    assert.equal((await carol.get('/sync/manifest', of)).status, 200);
    assert.equal((await carol.post('/tickets', { operation: 'vault.export' }, of)).status, 200);
    const { changes: before } = (await carol.get('/sync/changes?fields=all', of)).body;
    const write = { path: 'c.md', content: 'x', mtime: 1 };
    assert.deepEqual(refusalOf(await carol.post('/notes', write, of)), [403, 'owner_suspended']);
    const handOver = (email: string, which = own.id) => alice.post(`/admin/vaults/${which}/hand-over`, { email });
    assert.deepEqual(refusalOf(await handOver(server.alice.email)), [404, 'not found'], 'to a member only');
    const carols = (await carol.get('/me')).body.user.email;
    assert.equal((await handOver(carols)).status, 204);
    const { changes: after } = (await carol.get('/sync/changes?fields=all', of)).body;
    assert.deepEqual(after, before, 'nothing is lost, and who wrote it stays known');
    assert.deepEqual(
      (await carol.get('/trash', of)).body.items.map(({ path }: { path: string }) => path),
      ['gone.md'],
    );
    assert.equal((await carol.post('/notes', write, of)).status, 200);
    assert.equal((await carol.get(`/vaults/${own.id}`)).body.vault.role, 'owner');
    const suspended = (await carol.get(`/vaults/${own.id}/members`)).body.members as {
      role: string;
      user_id: string;
    }[];
    assert.deepEqual(suspended.map(({ role, user_id }) => [role, user_id]).slice(1), [['editor', id]]);
    assert.equal((await handOver(carols, shared.note)).status, 404);
    assert.equal((await carol.post('/admin/vaults/x/hand-over', { email: carols })).status, 403);
    assert.equal((await alice.get('/sync/manifest', headers)).status, 200, vault);
  });

  test('an account is deleted only when it owns no vault that others have, and leaves no name behind', async () => {
    await using shared = await startShared({ open });
    const { server, alice, bob, vault, headers, note } = shared;
    await shared.server.alice.signed();
    await bob.patch('/me', { display_name: 'Bob' });
    await shared.join(bob, 'editor');
    await bob.post('/notes', { path: 'a.md', content: 'two', mtime: 2 }, headers);
    const versions = async () => (await alice.get(`/notes/by-id/${note}/versions`, headers)).body.versions[0].actor;
    assert.deepEqual([(await versions()).display_name, (await versions()).name], ['Bob', '']);
    const bobs = await shared.idOf(bob);
    const { password } = server.alice;
    const shares = await alice.delete('/me', { password });
    assert.deepEqual(refusalOf(shares), [409, shares.body.error]);
    const own = (await bob.post('/vaults', { name: 'Bob’s' })).body.vault;
    const made = await bob.post(`/vaults/${own.id}/invitations`, { role: 'viewer' });
    await alice.post(`/invitations/${tokenOf(made.body.url)}/accept`);
    const refused = await bob.delete('/me', { password: server.bob.password });
    assert.deepEqual(
      [refused.status, refused.body.error, refused.body.vaults],
      [...[409, 'owns_shared_vaults'], [{ id: own.id, name: 'Bob’s' }]],
    );
    const byAdmin = await alice.delete(`/admin/users/${bobs}`, { password });
    assert.deepEqual([byAdmin.status, byAdmin.body.vaults], [409, [{ id: own.id }]]);
    await bob.delete(`/vaults/${own.id}`);
    assert.equal((await bob.delete('/me', { password: server.bob.password })).status, 200);
    assert.deepEqual([(await versions()).display_name, (await versions()).user_id], [null, bobs]);
    assert.equal((await alice.get(`/vaults/${vault}`)).body.vault.members, 0);
  });

  test('the name of somebody who has left stays as it was, and the names of their keys are never shown', async () => {
    const { server, alice, bob, headers, note, path, join, vault } = await startShared(await start());
    await bob.patch('/me', { display_name: 'Bob' });
    const bobs = await join(bob, 'editor');
    const { key } = (await bob.post('/connections/pat', { name: 'secret laptop', vault_access: { [vault]: 'write' } }))
      .body;
    await server.bearer(key).post('/notes', { path: 'a.md', content: 'two', mtime: 2 }, headers);
    const actor = async () => (await alice.get(`/notes/by-id/${note}/versions`, headers)).body.versions[0].actor;
    await bob.patch('/me', { display_name: 'Robert' });
    assert.equal((await actor()).display_name, 'Robert');
    await alice.delete(`${path}/${bobs}`);
    await bob.patch('/me', { display_name: 'Rob' });
    assert.deepEqual(await actor(), { kind: 'key', name: '', user_id: bobs, display_name: 'Robert' });
  });

  test('the full feed names who made each last change, but no credential, and to viewers not who deleted', async () => {
    const { server, alice, bob, carol, headers, vault, idOf, join } = await startShared(await start());
    await bob.patch('/me', { display_name: 'Bob' });
    const bobs = await join(bob, 'editor');
    const pat = (await bob.post('/connections/pat', { name: 'secret laptop', vault_access: { [vault]: 'write' } }))
      .body;
    const laptop = server.bearer(pat.key);
    const write = (caller: Caller, path: string) => caller.post('/notes', { path, content: path, mtime: 1 }, headers);
    for (const path of ['written.md', 'moved.md', 'deleted.md']) await write(alice, path);
    await write(laptop, 'his.md');
    await laptop.post('/notes', { path: 'written.md', content: 'again', mtime: 2 }, headers);
    await laptop.post('/notes/rename', { old_path: 'moved.md', new_path: 'there.md' }, headers);
    await laptop.delete('/notes/deleted.md', undefined, headers);
    const file = { path: 'file.txt', content_base64: 'YQ==', mtime: 1 };
    await alice.post('/attachments', file, headers);
    await alice.post('/attachments', { ...file, path: 'kept.txt' }, headers);
    await laptop.post('/attachments/rename', { old_path: 'file.txt', new_path: 'his.txt' }, headers);
    const seen = async (caller: Caller) => {
      const { changes } = (await caller.get('/sync/changes?fields=all&limit=500', headers)).body;
      return new Map(changes.map((row: { path: string; actor: object }) => [row.path, row.actor]));
    };
    const alices = await idOf(alice);
    const byBob = { kind: 'key', name: '', user_id: bobs, display_name: 'Bob' };
    const byAlice = { kind: 'session', name: 'Session', user_id: alices };
    assert.deepEqual(
      await seen(alice),
      new Map<string, object>([
        ['a.md', byAlice],
        ...['his.md', 'written.md', 'there.md', 'deleted.md'].map((path): [string, object] => [path, byBob]),
        ['kept.txt', byAlice],
        ['his.txt', byBob],
      ]),
    );
    const bobSees = await seen(bob);
    assert.deepEqual(bobSees.get('his.txt'), { kind: 'key', name: 'secret laptop', user_id: bobs });
    assert.deepEqual(bobSees.get('a.md'), { kind: 'session', name: '', user_id: alices, display_name: null });
    await join(carol, 'viewer');
    await laptop.delete('/attachments/his.txt', undefined, headers);
    const told = (await carol.get('/sync/changes?fields=all', headers)).body.changes as { deleted: boolean }[];
    const gone = told.filter(({ deleted }) => deleted);
    assert.equal(gone.length, 2);
    for (const row of gone) {
      const nothing = 'title' in row ? { title: '', folder: '' } : { mime_type: '', size_bytes: 0 };
      assert.deepEqual(row, { ...row, path: '', content_hash: '', ...nothing });
      assert.ok(!('actor' in row), 'nor who deleted it');
    }
    const { changes } = (await alice.get('/sync/changes', headers)).body;
    assert.ok(
      changes.every((row: object) => !('actor' in row)),
      'only with all fields',
    );
  });

  test('credentials reach a shared vault only where they name it, and lose it for good with the person', async () => {
    const { server, alice, bob, headers, vault, path, dave, join } = await startShared(await start());
    const bobs = await join(bob, 'editor');
    const pat = async (body: object) =>
      server.bearer((await bob.post('/connections/pat', { name: 'key', ...body })).body.key);
    const everywhere = await pat({});
    const here = await pat({ vault_access: { [vault]: 'write' } });
    const both = await pat({ default_access: 'read', vault_access: { [vault]: 'read' } });
    const read = (caller: Caller) => caller.get('/sync/manifest', headers);
    assert.equal((await read(everywhere)).status, 403);
    assert.equal((await read(here)).status, 200);
    assert.equal((await here.get('/sync/manifest')).status, 200, 'it is the only one that it reaches');
    assert.equal((await read(both)).status, 200);
    const stranger = await dave.post('/connections/pat', { name: 'x', vault_access: { [vault]: 'read' } });
    assert.equal(stranger.status, 422);
    const started = (await bob.post('/auth/device', { device_name: 'Phone' })).body;
    const authorized = await bob.post('/auth/device/authorize', { user_code: started.user_code, vault_id: vault });
    assert.equal(authorized.status, 200);
    const ticket = (await bob.post('/tickets', { operation: 'vault.export' }, headers)).body;
    await alice.delete(`${path}/${bobs}`);
    const polled = await server.anyone.post('/auth/device/token', { device_code: started.device_code });
    assert.equal(polled.status, 410, JSON.stringify(polled.body));
    assert.equal((await read(both)).status, 404);
    assert.equal((await read(here)).status, 401, 'without reach it is revoked');
    server.clock.advance({ ms: 1 });
    await join(bob, 'editor');
    assert.deepEqual([(await read(here)).status, (await read(both)).status], [401, 403]);
    assert.equal((await fetch(server.url + ticket.url.slice(new URL(ticket.url).origin.length))).status, 404);
    assert.equal((await read(bob)).status, 200);
  });

  test('[S1] every operation about members refuses a person or an invitation of another vault', async () => {
    const { alice, bob, path, vault, invite, join } = await startShared(await start());
    const bobs = await join(bob, 'editor');
    const waiting = await invite({ role: 'viewer' });
    const other = (await alice.post('/vaults', { name: 'Other' })).body.vault.id;
    const bobsOwn = (await bob.post('/vaults', { name: 'Bob’s' })).body.vault.id;
    assert.equal((await alice.delete(`/vaults/${other}/invitations/${waiting.id}`)).status, 404);
    assert.equal((await bob.delete(`/vaults/${bobsOwn}/invitations/${waiting.id}`)).status, 404);
    assert.equal((await alice.patch(`/vaults/${other}/members/${bobs}`, { role: 'viewer' })).status, 404);
    assert.equal((await alice.delete(`/vaults/${other}/members/${bobs}`)).status, 404);
    assert.equal((await alice.patch(`/vaults/${bobsOwn}/members/${bobs}`, { role: 'viewer' })).status, 404);
    assert.equal((await alice.delete(`/vaults/${bobsOwn}/members/${bobs}`)).status, 404);
    const { members, invitations } = (await alice.get(path)).body;
    assert.deepEqual([members.length, invitations.length, members[1].role], [2, 1, 'editor'], vault);
  });
});

function plansWith(changed: Readonly<Record<string, object>>): PlanTable {
  const made = Object.entries(changed).map(([name, caps]) => [name, { ...builtinPlans.self_hosted, ...caps }]);
  return { ...builtinPlans, ...Object.fromEntries(made) };
}
