import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OAuthApp } from '../../../../test/kit/clients/oauth-app.ts';
import { FlakySocket } from '../../../../test/kit/clients/provider-clients.ts';
import { onEachEngine } from '../../../../test/kit/engines.ts';
import { linkDevice } from '../../../../test/kit/operations.ts';
import type { Answer } from '../../../../test/kit/person.ts';
import { startServer } from '../../../../test/kit/server.ts';
import { until, untilInTime } from '../../../../test/kit/until.ts';

const said = ({ status, body }: Answer) => [status, body?.error ?? body];

onEachEngine('admins', (open) => {
  test('list accounts with their totals, in pages, and never what is written in a vault', async () => {
    await using server = await startServer({ open });
    const { alice, bob } = server;
    await bob.signed();
    const { vault } = (await bob.post('/vaults', { name: 'Quibblevault' })).body;
    const headers = { 'x-vault-id': vault.id };
    await bob.post('/notes', { path: 'Quibblenote.md', content: 'Quibbletext', mtime: 1 }, headers);
    const file = { path: 'Quibblefile.txt', content_base64: btoa('twelve bytes'), mtime: 1 };
    await bob.post('/attachments', file, headers);
    const { status, body } = await alice.get('/admin/users');
    assert.equal(status, 200);
    const [first, second] = body.users;
    assert.deepEqual([body.users.length, body.next_cursor], [2, null]);
    assert.deepEqual([first.email, first.role, first.session_count, first.vault_count], [alice.email, 'admin', 1, 0]);
    const { vault_count, note_count, attachment_count, used_bytes, plan } = second;
    assert.deepEqual(
      [second.email, second.role, plan, second.suspended_at],
      [bob.email, 'member', 'self_hosted', null],
    );
    assert.deepEqual([vault_count, note_count, attachment_count, used_bytes], [1, 1, 1, 12]);
    const health = await alice.get('/admin/health');
    const { users, vaults, notes, attachments, attachment_bytes, database } = health.body;
    assert.deepEqual([users, vaults, notes, attachments, attachment_bytes], [2, 1, 1, 1, 12]);
    assert.equal(database, server.db.engine);
    assert.doesNotMatch(JSON.stringify([body, health.body]), /quibble/i);

    const made = Array.from({ length: 100 }, (_, i) => server.app.accounts.createUser(`p${i}@example.org`));
    await Promise.all(made);
    const page = (await alice.get('/admin/users')).body;
    const rest = (await alice.get(`/admin/users?cursor=${page.next_cursor}`)).body;
    assert.deepEqual([page.users.length, rest.users.length, rest.next_cursor], [100, 2, null]);
    assert.equal(new Set([...page.users, ...rest.users].map(({ email }) => email)).size, 102);
    assert.deepEqual(said(await alice.get('/admin/users?cursor=x')), [400, 'invalid_cursor']);
  });

  test('are recognised by their sessions only', async () => {
    await using server = await startServer({ open });
    const { alice, bob } = server;
    const { key } = (await alice.post('/api-keys', { name: 'K' })).body;
    for (const caller of [bob, server.bearer(key)]) {
      assert.deepEqual(said(await caller.get('/admin/users')), [403, 'admin_required']);
    }
    const { id } = await bob.signed();
    assert.equal((await alice.patch(`/admin/users/${id}`, { role: 'admin' })).body.user.role, 'admin');
    assert.equal((await bob.get('/admin/users')).status, 200);
    assert.equal((await alice.patch(`/admin/users/${id}`, { role: 'member' })).status, 200);
    assert.deepEqual(said(await bob.get('/admin/users')), [403, 'admin_required']);
  });

  test('change plans and roles, but not to unknown ones, nor of unknown accounts, nor of the last admin', async () => {
    await using server = await startServer({ open });
    const { alice, bob } = server;
    const [mine, his] = [(await alice.signed()).id, (await bob.signed()).id];
    assert.equal((await alice.patch(`/admin/users/${his}`, { plan: 'free' })).body.user.plan, 'free');
    assert.equal((await bob.get('/user/storage')).body.tier, 'free');
    const unknown = await alice.patch(`/admin/users/${his}`, { plan: 'gold' });
    assert.deepEqual([unknown.status, Object.keys(unknown.body.errors)], [422, ['plan']]);
    assert.equal((await alice.patch(`/admin/users/${his}`, { role: 'owner' })).status, 422);
    for (const id of ['x', crypto.randomUUID()]) {
      assert.deepEqual(said(await alice.patch(`/admin/users/${id}`, { plan: 'pro' })), [404, 'not_found']);
    }
    for (const change of [{ role: 'member' }, { suspended: true }]) {
      assert.deepEqual(said(await alice.patch(`/admin/users/${mine}`, change)), [409, 'last_admin']);
    }
    assert.deepEqual(said(await alice.delete(`/admin/users/${mine}`, { password: alice.password })), [
      409,
      'last_admin',
    ]);
  });

  test('delete an account with their own password', async () => {
    await using server = await startServer({ open });
    const { alice, bob } = server;
    const { id } = await bob.signed();
    const remove = (password?: string) => alice.delete(`/admin/users/${id}`, { password });
    assert.deepEqual(said(await remove()), [400, 'password_required']);
    assert.deepEqual(said(await remove(bob.password)), [403, 'invalid_password']);
    assert.equal((await bob.get('/me')).status, 200);
    assert.equal((await remove(alice.password)).status, 204);
    assert.equal((await bob.get('/me')).status, 401);
    assert.deepEqual(said(await remove(alice.password)), [404, 'not_found']);
    assert.equal((await alice.get('/admin/users')).body.users.length, 1);
  });

  test('make, list and withdraw invites', async () => {
    await using server = await startServer({ open, config: { registration: 'invite_only' } });
    const { alice } = server;
    await alice.signed();
    const made = await alice.post('/admin/invites', { email: 'Bob@example.org' });
    const { token, ...invite } = made.body;
    assert.deepEqual([made.status, invite.email], [201, 'bob@example.org']);
    assert.equal(Date.parse(invite.expires_at) - Date.parse(invite.created_at), 7 * 86_400_000);
    const other = (await alice.post('/admin/invites', {})).body;
    const listed = (await alice.get('/admin/invites')).body.invites;
    assert.deepEqual(
      listed,
      [{ ...other, token: undefined }, invite].map((each) => JSON.parse(JSON.stringify(each))),
    );
    const register = (email: string, secret: string) =>
      server.anyone.post('/auth/register', { email, password: 'long enough', invite: secret });
    assert.equal((await register('bob@example.org', token)).status, 201);
    assert.deepEqual(said(await alice.delete(`/admin/invites/${invite.id}`)), [404, 'not_found']);
    assert.equal((await alice.delete(`/admin/invites/${other.id}`)).status, 204);
    assert.deepEqual(said(await register('carol@example.org', other.token)), [403, 'invite_invalid']);
    assert.deepEqual((await alice.get('/admin/invites')).body.invites, []);
  });
});

onEachEngine('a suspended account', (open) => {
  test('is refused with every kind of credential, at every endpoint, until it is unsuspended', async () => {
    await using server = await startServer({ open });
    const { alice, bob } = server;
    const { id, accessToken, refreshToken } = await bob.signed();
    const { vault } = (await bob.post('/vaults', { name: 'Work' })).body;
    const headers = { 'x-vault-id': vault.id };
    const { note } = (await bob.post('/notes', { path: 'a.md', content: 'a', mtime: 1 }, headers)).body;
    const device = await linkDevice(bob, vault.id);
    const app = await OAuthApp.register(server);
    const granted = await app.connect({ scope: 'mcp' }, bob, { levels: { [vault.id]: 'write' }, elsewhere: 'none' });
    const { key } = (await bob.post('/api-keys', { name: 'K' })).body;
    const pat = (await bob.post('/connections/pat', { name: 'P' })).body.key;
    const tokens = [accessToken, device.access, granted.access_token, key, pat];
    const mcp = (token: string) =>
      server.bearer(token).post('/mcp', { jsonrpc: '2.0', id: 1, method: 'ping' }, { accept: 'application/json' });
    const refreshCookie = { cookie: `refresh_token=${refreshToken}` };

    using line = new FlakySocket(server.url);
    using opened = line.open(note.id, accessToken);
    await until(() => opened.received.scopes.length === 1, 'an open document');

    assert.equal((await alice.patch(`/admin/users/${id}`, { suspended: true })).status, 200);
    for (const token of tokens) {
      assert.deepEqual(said(await server.bearer(token).get('/me')), [403, 'suspended'], token);
      assert.deepEqual(said(await server.bearer(token).get('/notes/a.md', headers)), [403, 'suspended'], token);
      assert.equal((await mcp(token)).status, 403, token);
    }
    assert.deepEqual(said(await server.anyone.post('/auth/refresh', undefined, refreshCookie)), [403, 'suspended']);
    const deviceRefresh = { refresh_token: device.refresh };
    assert.deepEqual(said(await server.anyone.post('/auth/token/refresh', deviceRefresh)), [403, 'suspended']);
    await untilInTime(server.clock, () => opened.received.closed.length === 1, 'the end of the document');
    using late = line.open(`${note.id}`, key, { sessionAwareness: true });
    await untilInTime(server.clock, () => late.received.denied.length === 1, 'a refusal');

    assert.equal((await alice.patch(`/admin/users/${id}`, { suspended: false })).status, 200);
    for (const token of tokens) assert.equal((await server.bearer(token).get('/me')).status, 200, token);
    assert.equal((await server.anyone.post('/auth/refresh', undefined, refreshCookie)).status, 200);
  });
});
