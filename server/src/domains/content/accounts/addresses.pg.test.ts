import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SlowCall, watchDecisions } from '../../../../test/kit/clients/slow-call.ts';
import { countedDatabase } from '../../../../test/kit/database/counted-database.ts';
import { onEachEngine } from '../../../../test/kit/engines.ts';
import { Mailbox } from '../../../../test/kit/mailbox.ts';
import { startServer } from '../../../../test/kit/server.ts';

onEachEngine('confirmed addresses', (open) => {
  const start = async () => {
    const mailer = new Mailbox();
    const server = await startServer({ open, mailer, config: { trustProxy: ['127.0.0.1'] } });
    await server.alice.signed();
    const { mails, accounts } = server.app;
    await mails.sendDue();
    const confirm = (token: string) => server.anyone.post('/auth/email/confirm', { token });
    const forgot = async (email: string) => {
      const { status, body } = await server.anyone.post('/auth/password/forgot', { email });
      assert.deepEqual([status, body], [202, { ok: true }]);
      await mails.sendDue();
    };
    /** How many mails somebody has got. */
    const got = (address: string) => mailer.sent.filter(({ to }) => to === address).length;
    return { server, mailer, mails, accounts, confirm, forgot, got };
  };

  test('the mail of a registration confirms the address, once and within a day', async () => {
    const { server, mailer, mails, confirm } = await start();
    await using _server = server;
    const { alice, clock } = server;
    const confirmedAt = async () => (await alice.get('/me/sign-in')).body.email_confirmed_at;
    assert.equal(await confirmedAt(), null);
    const first = mailer.tokenFor(alice.email);
    clock.advance({ days: 1 });
    assert.deepEqual((await confirm(first)).body, { error: 'invalid_token', errors: 'invalid_token' });
    const again = await alice.logIn();
    const caller = server.bearer(again.body.access_token);
    assert.equal((await caller.post('/me/email/confirmation')).status, 202);
    await mails.sendDue();
    const token = mailer.tokenFor(alice.email);
    assert.notEqual(token, first);
    assert.equal((await confirm(token)).status, 200);
    assert.equal((await confirm(token)).status, 422);
    assert.equal((await caller.get('/me/sign-in')).body.email_confirmed_at, new Date(clock.now()).toISOString());
    const before = mailer.sent.length;
    assert.equal((await caller.post('/me/email/confirmation')).status, 202);
    await mails.sendDue();
    assert.equal(mailer.sent.length, before, 'nothing is sent for a confirmed address');
  });

  test('a forgotten password is set by mail, to a confirmed address of an account that is not suspended', async () => {
    const { server, mailer, accounts, confirm, forgot, got } = await start();
    await using _server = server;
    const { alice, bob, anyone } = server;
    await forgot(alice.email);
    assert.equal(got(alice.email), 1, 'not to an unconfirmed address');
    await confirm(mailer.tokenFor(alice.email));
    await forgot(` ${alice.email.toUpperCase()}`);
    assert.equal(got(alice.email), 2);
    const reset = { token: mailer.tokenFor(alice.email), password: 'another long password' };
    assert.equal((await anyone.post('/auth/password/reset', reset)).status, 200);
    assert.equal((await anyone.post('/auth/password/reset', reset)).status, 422);
    const login = (password: string) => anyone.post('/auth/login', { email: alice.email, password });
    assert.equal((await login(alice.password)).status, 401);
    assert.equal((await login(reset.password)).status, 200);
    await bob.signed();
    assert.equal(await accounts.confirmNamed(bob.email), 1);
    await accounts.setSuspended(bob.email, true);
    const before = got(bob.email);
    await forgot(bob.email);
    await forgot('nobody@example.org');
    await forgot('no address');
    assert.deepEqual([got(bob.email) - before, got('nobody@example.org')], [0, 0]);
  });

  test('an address gets at most three mails an hour and five a day, however often somebody asks', async () => {
    const { server, accounts, forgot, got } = await start();
    await using _server = server;
    const { alice, clock } = server;
    await accounts.confirmNamed(null);
    const before = got(alice.email);
    const counts: number[] = [];
    for (const hours of [0, 1, 1, 22]) {
      clock.advance({ hours });
      for (let nth = 0; nth < 4; nth++) await forgot(alice.email);
      counts.push(got(alice.email) - before);
    }
    assert.deepEqual(counts, [3, 5, 5, 8]);
  });

  test('forgot, sign-ins and invitations cost the same statements with an account and without one', async () => {
    const mailer = new Mailbox();
    const db = countedDatabase(await open());
    await using server = await startServer({ open: async () => db, mailer });
    const { alice, bob, anyone } = server;
    const { id } = (await alice.post('/vaults', { name: 'Home' })).body.vault;
    await bob.signed();
    await server.app.accounts.confirmNamed(null);
    const authorization = `Bearer ${(await alice.signed()).accessToken}`;
    // A body that happens to arrive before the rights are read saves the statement that compares them.
    const inviteSlowly = async (body: unknown) => {
      using decisions = watchDecisions(server);
      const call = new SlowCall(server, 'POST', `/vaults/${id}/invitations`, body, { authorization });
      await decisions.decided(1, 0);
      return call.end();
    };
    const costs = async (ask: () => Promise<{ readonly status: number }>) => {
      const all: unknown[] = [];
      // The later ones are over the limits.
      for (let nth = 0; nth < 12; nth++) {
        db.reset();
        const { status } = await ask();
        const { statements, writes, reads } = db.counts;
        all.push([status, statements, writes, reads]);
      }
      return all;
    };
    const asks: Readonly<Record<string, (email: string) => () => Promise<{ readonly status: number }>>> = {
      forgot: (email) => () => anyone.post('/auth/password/forgot', { email }),
      login: (email) => () => anyone.post('/auth/login', { email, password: 'wrong' }),
      invitation: (email) => () => inviteSlowly({ role: 'viewer', email }),
    };
    for (const [name, ask] of Object.entries(asks)) {
      // Loads what the first request of a kind loads.
      await ask('first@example.org')();
      assert.deepEqual(await costs(ask(bob.email)), await costs(ask('nobody@example.org')), name);
    }
  });

  test('an invitation is sent by mail, and answered alike, whether or not its address has an account', async () => {
    const { server, mailer, mails } = await start();
    await using _server = server;
    const { alice, bob } = server;
    await bob.patch('/me', { locale: 'de' });
    const { vault } = (await alice.post('/vaults', { name: 'Home' })).body;
    const fields: string[][] = [];
    for (const email of [bob.email, 'nobody@example.org']) {
      const { status, body } = await alice.post(`/vaults/${vault.id}/invitations`, { role: 'viewer', email });
      assert.equal(status, 201);
      await mails.sendDue();
      const mail = mailer.sent.findLast(({ to }) => to === email);
      assert.ok(mail?.text.includes(body.url));
      assert.equal(mail?.html.includes('lang="de"'), email === bob.email);
      assert.doesNotMatch(mail?.text ?? '', /Home/);
      fields.push(Object.keys(body.invitation));
    }
    assert.deepEqual(fields[0], fields[1]);
  });

  test('a sign-in from a network that is not known is told to a confirmed address', async () => {
    const { server, mailer, accounts, mails } = await start();
    await using _server = server;
    const { alice, anyone, clock } = server;
    const login = async (from: string) => {
      const { email, password } = alice;
      const before = mailer.sent.length;
      await anyone.post('/auth/login', { email, password }, { 'x-forwarded-for': from });
      await mails.sendDue();
      return mailer.sent.slice(before).map(({ text }) => text.includes(from));
    };
    assert.deepEqual(await login('192.0.2.1'), []);
    await accounts.confirmNamed(alice.email);
    assert.deepEqual(await login('192.0.2.1'), []);
    assert.deepEqual(await login('198.51.100.1'), [true]);
    assert.deepEqual(await login('198.51.100.1'), []);
    clock.advance({ days: 90, ms: 1 });
    assert.deepEqual(await login('198.51.100.1'), [true]);
  });

  test('a server without a mail server answers alike, and stores nothing', async () => {
    await using server = await startServer({ open });
    await server.alice.signed();
    assert.equal((await server.anyone.get('/auth/bootstrap')).body.mail, false);
    const { status, body } = await server.anyone.post('/auth/password/forgot', { email: server.alice.email });
    assert.deepEqual([status, body], [202, { ok: true }]);
    assert.equal((await server.alice.post('/me/email/confirmation')).status, 202);
    const { isOn, waiting } = await server.app.mails.state();
    assert.deepEqual([isOn, waiting], [false, 0]);
  });
});
