import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEachEngine } from '../../../../../test/kit/engines.ts';
import { oneServer, startServer, type TestServer } from '../../../../../test/kit/server.ts';

onEachEngine('a login link', (open) => {
  const one = oneServer(() => ({ open }));
  const tokenFor = async ({ app }: Pick<TestServer, 'app'>, email: string) =>
    new URL(await app.accounts.issueLoginLink(email)).searchParams.get('login') ?? '';

  test('signs in once, and the session has proved who uses it', async () => {
    const server = await one();
    const { alice, anyone } = server;
    await alice.signed();
    const link = await server.app.accounts.issueLoginLink(alice.email);
    assert.match(link, /^http:\/\/[^/]+\/\?login=nv_lgn_[\w-]{43}$/);
    const token = await tokenFor(server, alice.email);
    const entered = await anyone.post('/auth/login-link', { token });
    assert.equal(entered.status, 200);
    assert.ok(entered.cookie('refresh_token'));
    const caller = server.bearer(entered.body.access_token);
    assert.equal((await caller.get('/me/sessions')).body.sessions[0].method, 'login_link');
    assert.equal((await caller.post('/me/totp')).status, 200);
    const again = await anyone.post('/auth/login-link', { token });
    assert.deepEqual([again.status, again.body.error], [422, 'invalid_token']);
  });

  test('of concurrent uses of one link on two processes, one signs in', async () => {
    const server = await one();
    const { alice, db, blobs, clock, masterKey } = server;
    await alice.signed();
    await using second = await startServer({ open: async () => db, blobs, clock, masterKey });
    const token = await tokenFor(server, alice.email);
    const answers = [server, second, server, second].map(({ anyone }) => anyone.post('/auth/login-link', { token }));
    assert.deepEqual((await Promise.all(answers)).map(({ status }) => status).sort(), [200, 422, 422, 422]);
  });

  test('ends after ten minutes, with a new password, and with a suspension', async () => {
    const server = await one();
    const { alice, anyone, clock } = server;
    const { accounts } = server.app;
    await alice.signed();
    const statusOf = async (token: string) => (await anyone.post('/auth/login-link', { token })).status;
    const old = await tokenFor(server, alice.email);
    clock.advance({ minutes: 10 });
    assert.equal(await statusOf(old), 422);
    const before = await tokenFor(server, alice.email);
    const password = 'another long password';
    await anyone.post('/auth/password/reset', { token: await accounts.issueReset(alice.email), password });
    assert.equal(await statusOf(before), 422);
    const { bob } = server;
    await bob.signed();
    await accounts.setSuspended(bob.email, true);
    assert.equal(await statusOf(await tokenFor(server, bob.email)), 403);
  });

  test('a token for a page opens no session, and a token of the app opens no page', async () => {
    const server = await one();
    const { alice, anyone, db } = server;
    const { accounts } = server.app;
    await alice.signed();
    const { id } = await accounts.findByEmail(alice.email);
    const token = await db.transact((handle) => accounts.issueLoginToken(handle, id, '/link'));
    assert.equal((await anyone.post('/auth/login-link', { token })).status, 422);
    await assert.rejects(accounts.identifyByToken(token, '/oauth/interaction/1'), { code: 'invalid_login_token' });
    assert.equal((await accounts.identifyByToken(token, '/link')).id, id);
    await assert.rejects(accounts.identifyByToken(token, '/link'), { code: 'invalid_login_token' });
    await assert.rejects(accounts.identifyByToken(await tokenFor(server, alice.email), '/link'));
  });
});
