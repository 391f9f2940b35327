import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onSqlite } from '../../../../test/kit/engines.ts';
import { Mailbox } from '../../../../test/kit/mailbox.ts';
import type { Answer } from '../../../../test/kit/person.ts';
import { startServer } from '../../../../test/kit/server.ts';

const OFF = [403, 'password_login_off'];
const password = 'another long password';
const refusalOf = ({ status, body }: Answer) => [status, body.error];

onSqlite('a server without passwords', (open) => {
  test('refuses to sign in, register, change and reset by one, and lets the operator’s link in', async () => {
    const mailer = new Mailbox();
    await using server = await startServer({ open, mailer, config: { passwordLogin: 'off' } });
    const { alice, anyone, app, clock } = server;
    // The first account is made with the setup token and a password.
    await alice.signed();
    const login = { email: alice.email, password: alice.password };
    assert.deepEqual(refusalOf(await anyone.post('/auth/login', login)), OFF);
    assert.deepEqual(refusalOf(await anyone.post('/auth/register', { email: 'x@example.org', password })), OFF);
    const change = { old_password: alice.password, new_password: password };
    assert.deepEqual(refusalOf(await alice.post('/auth/password/change', change)), OFF);
    const token = await app.accounts.issueReset(alice.email);
    assert.deepEqual(refusalOf(await anyone.post('/auth/password/reset', { token, password })), OFF);
    assert.equal((await anyone.post('/auth/password/forgot', { email: alice.email })).status, 202);
    await app.mails.sendDue();
    assert.deepEqual(
      mailer.sent.filter(({ subject }) => /password/i.test(subject)),
      [],
    );
    assert.deepEqual((await anyone.get('/auth/bootstrap')).body.methods, []);
    assert.deepEqual((await alice.get('/me/sign-in')).body.methods, []);

    clock.advance({ minutes: 10 });
    const step = await alice.post('/auth/step-up', { password: alice.password });
    assert.deepEqual(refusalOf(step), OFF);
    const link = new URL(await app.accounts.issueLoginLink(alice.email)).searchParams.get('login');
    const entered = await anyone.post('/auth/login-link', { token: link });
    assert.equal(entered.status, 200);
    const caller = server.bearer(entered.body.access_token);
    assert.equal((await caller.delete('/me')).body.error, 'last_admin', 'the link is the proof that a deletion needs');
  });

  test('with admins excepted, tells only who knows the password', async () => {
    await using server = await startServer({ open });
    const { alice, bob, db, blobs, clock, masterKey } = server;
    await alice.signed();
    await bob.signed();
    const stored = { open: async () => db, blobs, clock, masterKey };
    await using admins = await startServer({ ...stored, config: { passwordLogin: 'admin' } });
    const login = (email: string, secret: string) => admins.anyone.post('/auth/login', { email, password: secret });
    assert.equal((await login(alice.email, alice.password)).status, 200);
    assert.deepEqual(refusalOf(await login(bob.email, bob.password)), OFF);
    assert.deepEqual(refusalOf(await login(bob.email, 'wrong')), [401, 'invalid_credentials']);
    const token = await admins.app.accounts.issueReset(bob.email);
    assert.deepEqual(refusalOf(await admins.anyone.post('/auth/password/reset', { token, password })), OFF);
    assert.deepEqual(refusalOf(await admins.anyone.post('/auth/register', { email: 'x@example.org', password })), OFF);
    assert.deepEqual((await admins.anyone.get('/auth/bootstrap')).body.methods, ['password']);
  });
});
