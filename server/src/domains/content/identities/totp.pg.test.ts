import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEachEngine } from '../../../../test/kit/engines.ts';
import type { Caller, Person } from '../../../../test/kit/person.ts';
import { oneServer, startServer, type TestServer } from '../../../../test/kit/server.ts';
import { setUpTotp } from '../../../../test/kit/totp.ts';

const FACTORS = ['totp', 'recovery_code'];
const refusalOf = ({ status, body }: Awaited<ReturnType<Caller['get']>>) => [status, body.error];

/** Resolves to the answer to the password of a person, and its ticket. */
async function logIn({ anyone }: Pick<TestServer, 'anyone'>, { email, password }: Person, more: object = {}) {
  const answer = await anyone.post('/auth/login', { email, password, ...more });
  return { answer, ticket: answer.body.ticket as string };
}

onEachEngine('the second factor of an account', (open) => {
  const one = oneServer(() => ({ open, config: { trustProxy: ['127.0.0.1'] } }));
  const start = async () => {
    const server = await one();
    await server.alice.signed();
    const app = await setUpTotp(server.alice, server.clock);
    const prove = (ticket: string, code: string, from = '203.0.113.9') =>
      server.anyone.post('/auth/second-factor', { ticket, code }, { 'x-forwarded-for': from });
    return { server, app, prove, alice: server.alice };
  };

  test('an admin sees who has a second factor and resets it, as the operator does', async () => {
    // The first test, so that there are no other accounts.
    const { server, alice } = await start();
    const { bob, clock } = server;
    await bob.signed();
    await setUpTotp(bob, clock);
    const list = async () =>
      (await alice.get('/admin/users')).body.users.map(
        ({ second_factor }: { second_factor: boolean }) => second_factor,
      );
    assert.deepEqual(await list(), [true, true]);
    const { id } = (await bob.get('/me')).body.user;
    assert.equal((await alice.delete(`/admin/users/${id}/second-factor`)).status, 204);
    assert.deepEqual(await list(), [true, false]);
    assert.equal((await logIn(server, bob)).answer.status, 200);
    await server.app.identities.resetNamed(alice.email);
    assert.equal((await logIn(server, alice)).answer.status, 200);
  });

  test('signing in needs a code beside the password, and the session says so', async () => {
    const { server, app, prove, alice } = await start();
    const { answer, ticket } = await logIn(server, alice);
    assert.deepEqual([...refusalOf(answer), answer.body.methods], [401, 'second_factor_required', FACTORS]);
    assert.equal(answer.cookie('refresh_token'), undefined);
    assert.equal((await server.bearer(ticket).get('/me')).status, 401);
    const entered = await prove(ticket, ` ${app.next().replace(/(...)/, '$1 ')}`);
    assert.equal(entered.status, 200);
    assert.ok(entered.cookie('refresh_token'));
    const caller = server.bearer(entered.body.access_token);
    const { sessions } = (await caller.get('/me/sessions')).body;
    assert.deepEqual(
      sessions.map(({ method }: { method: string }) => method),
      ['totp', 'password'],
    );
    assert.deepEqual(refusalOf(await prove(ticket, app.next())), [401, 'invalid_ticket'], 'a ticket works once');
    assert.equal((await caller.delete('/me/totp')).status, 204);
    assert.equal((await logIn(server, alice)).answer.status, 200);
  });

  test('a session that is to end with the browser does so after its second factor too', async () => {
    const { server, app, prove, alice } = await start();
    const { ticket } = await logIn(server, alice, { remember: false });
    const [cookie] = (await prove(ticket, app.next())).headers.getSetCookie();
    assert.doesNotMatch(cookie ?? '', /Max-Age/i);
  });

  test('a code works once, a step early or late, and not two steps late', async () => {
    const { server, app, prove, alice } = await start();
    const ticket = async () => (await logIn(server, alice)).ticket;
    assert.equal((await prove(await ticket(), app.code())).status, 403, 'the code of the setup is used up');
    const early = app.code(1);
    assert.equal((await prove(await ticket(), early)).status, 200);
    assert.equal((await prove(await ticket(), early)).status, 403);
    server.clock.advance({ seconds: 90 });
    const [late, tooLate] = [app.code(-1), app.code(-2)];
    assert.equal((await prove(await ticket(), tooLate)).status, 403);
    assert.equal((await prove(await ticket(), late)).status, 200);
    assert.equal((await prove(await ticket(), tooLate)).status, 403);
    assert.equal((await prove(await ticket(), app.code(1))).status, 200);
    assert.equal((await prove(await ticket(), app.code())).status, 403, 'a code before the last one is used up');
  });

  test('of concurrent uses of one code on two processes, one signs in', async () => {
    const { server, app, alice } = await start();
    const { db, blobs, clock, masterKey } = server;
    await using second = await startServer({ open: async () => db, blobs, clock, masterKey });
    const tickets: string[] = [];
    for (let count = 0; count < 6; count++) tickets.push((await logIn(server, alice)).ticket);
    const prove = (code: string) =>
      Promise.all(
        tickets.map((ticket, index) =>
          [server, second][index % 2]?.anyone.post('/auth/second-factor', { ticket, code }),
        ),
      );
    const entered = (answers: Awaited<ReturnType<typeof prove>>) =>
      answers.filter((each) => each?.status === 200).length;
    assert.equal(entered(await prove(app.next())), 1);
    assert.equal(entered(await prove(app.recoveryCodes[0] ?? '')), 1);
  });

  test('five wrong codes end a ticket, of which concurrent ones count too', async () => {
    const { server, app, prove, alice } = await start();
    const { ticket } = await logIn(server, alice);
    const wrong = await Promise.all(Array.from({ length: 8 }, () => prove(ticket, app.wrong())));
    const statuses = wrong.map(({ status }) => status).sort();
    assert.deepEqual(statuses, [401, 401, 401, 403, 403, 403, 403, 403]);
    assert.deepEqual(refusalOf(await prove(ticket, app.next())), [401, 'invalid_ticket']);
    assert.equal((await prove((await logIn(server, alice)).ticket, app.next())).status, 200);
  });

  test('ten wrong codes an hour shut strangers out, and not a network from which the account signed in', async () => {
    const { server, app, prove, alice } = await start();
    const home = '192.0.2.7';
    assert.equal((await prove((await logIn(server, alice)).ticket, app.next(), home)).status, 200);
    for (let tickets = 0; tickets < 2; tickets++) {
      const { ticket } = await logIn(server, alice);
      for (let tries = 0; tries < 5; tries++) {
        assert.equal((await prove(ticket, app.wrong(), `198.51.${tickets}.${tries}`)).status, 403);
      }
    }
    const { ticket } = await logIn(server, alice);
    const refused = await prove(ticket, app.next(), '198.51.100.1');
    assert.equal(refused.status, 429);
    assert.ok(Number(refused.headers.get('retry-after')) > 3000);
    assert.equal((await prove(ticket, app.next(), home)).status, 200);
    server.clock.advance({ hours: 1 });
    assert.equal((await prove((await logIn(server, alice)).ticket, app.next(), '198.51.100.1')).status, 200);
  });

  test('a recovery code works once, in any case and without hyphens', async () => {
    const { server, app, prove, alice } = await start();
    const [first = '', second = ''] = app.recoveryCodes;
    assert.deepEqual([app.recoveryCodes.length, new Set(app.recoveryCodes).size], [10, 10]);
    const entered = await prove((await logIn(server, alice)).ticket, first.toUpperCase().replaceAll('-', ''));
    assert.equal(entered.status, 200);
    assert.equal((await prove((await logIn(server, alice)).ticket, first)).status, 403);
    assert.equal((await prove((await logIn(server, alice)).ticket, second)).status, 200);
    const { totp, methods } = (await server.bearer(entered.body.access_token).get('/me/sign-in')).body;
    assert.deepEqual([totp.recovery_codes_left, methods], [8, ['password', ...FACTORS]]);
  });

  test('a ticket ends after ten minutes, with a new password, and with a suspension', async () => {
    const { server, app, prove, alice } = await start();
    const { accounts } = server.app;
    const { ticket: old } = await logIn(server, alice);
    server.clock.advance({ minutes: 10 });
    assert.deepEqual(refusalOf(await prove(old, app.next())), [401, 'invalid_ticket']);
    const { ticket } = await logIn(server, alice);
    const token = await accounts.issueReset(alice.email);
    const password = 'another long password';
    assert.equal((await server.anyone.post('/auth/password/reset', { token, password })).status, 200);
    assert.deepEqual(refusalOf(await prove(ticket, app.next())), [401, 'invalid_ticket']);
    const again = await server.anyone.post('/auth/login', { email: alice.email, password });
    assert.equal(again.body.error, 'second_factor_required', 'a reset removes no second factor');
    await accounts.setSuspended(alice.email, true);
    assert.deepEqual(refusalOf(await prove(again.body.ticket, app.next())), [403, 'account_suspended']);
  });

  test('an app is set up by its first code within an hour, and never asked for before', async () => {
    const server = await one();
    const { alice, clock } = server;
    await alice.signed();
    const begun = (await alice.post('/me/totp')).body;
    assert.match(begun.uri, /^otpauth:\/\/totp\/Notevault:.*secret=[A-Z2-7]{32}/);
    assert.equal((await logIn(server, alice)).answer.status, 200);
    assert.deepEqual(refusalOf(await alice.post('/me/totp/confirm', { code: '12' })), [403, 'invalid_code']);
    const app = await setUpTotp(alice, clock);
    assert.deepEqual(refusalOf(await alice.post('/me/totp')), [409, 'totp_already_set']);
    assert.deepEqual(refusalOf(await alice.post('/me/totp/confirm', { code: app.code() })), [409, 'totp_already_set']);
  });
});

onEachEngine('a step-up', (open) => {
  test('an account with a second factor proves who it is before keys, purges and its deletion', async () => {
    await using server = await startServer({ open });
    const { alice, clock } = server;
    await alice.signed();
    const { password } = alice;
    clock.advance({ minutes: 10 });
    assert.equal((await alice.post('/api-keys', { name: 'a' })).status, 200, 'a password alone is not asked again');
    assert.deepEqual((await alice.post('/me/totp')).body, { error: 'step_up_required', methods: ['password'] });
    assert.deepEqual(refusalOf(await alice.post('/auth/step-up', { password: 'wrong' })), [403, 'invalid_password']);
    assert.equal((await alice.post('/auth/step-up', {})).status, 422);
    assert.equal((await alice.post('/auth/step-up', { password })).status, 200);
    const app = await setUpTotp(alice, clock);
    const { ticket } = await logIn(server, alice);
    const entered = await server.anyone.post('/auth/second-factor', { ticket, code: app.next() });
    const caller = server.bearer(entered.body.access_token);
    const vault = (await caller.post('/vaults', { name: 'Gone' })).body.vault.id;
    await caller.delete(`/vaults/${vault}`);

    clock.advance({ minutes: 10 });
    const methods = ['password', ...FACTORS];
    const asked = [
      caller.post('/api-keys', { name: 'b' }),
      caller.post('/connections/pat', { name: 'c' }),
      caller.post(`/vaults/${vault}/purge`),
      caller.delete('/me', { password }),
      caller.delete('/me/totp'),
    ];
    for (const answer of await Promise.all(asked)) {
      assert.deepEqual([answer.status, answer.body], [403, { error: 'step_up_required', methods }]);
    }
    const changed = { old_password: password, new_password: 'a new long password' };
    assert.equal((await caller.post('/auth/password/change', changed)).status, 200, 'the old password is the proof');
    assert.deepEqual(refusalOf(await caller.post('/auth/step-up', { code: app.wrong() })), [403, 'invalid_code']);
    assert.equal((await caller.post('/auth/step-up', { code: app.next() })).status, 200);
    assert.equal((await caller.post('/api-keys', { name: 'b' })).status, 200);
  });

  test('handing a vault over asks every account', async () => {
    await using server = await startServer({ open });
    const { alice, bob, clock } = server;
    const vault = (await alice.post('/vaults', { name: 'Shared' })).body.vault.id;
    const { url } = (await alice.post(`/vaults/${vault}/invitations`, { role: 'editor' })).body;
    await bob.post(`/invitations/${url.split('#')[1]}/accept`);
    const { id } = (await bob.get('/me')).body.user;
    clock.advance({ minutes: 10 });
    const handOver = () => alice.patch(`/vaults/${vault}/members/${id}`, { role: 'owner' });
    assert.equal((await handOver()).body.error, 'step_up_required');
    assert.equal((await alice.patch(`/vaults/${vault}/members/${id}`, { role: 'viewer' })).status, 200);
    const byAdmin = await alice.post(`/admin/vaults/${vault}/hand-over`, { email: bob.email });
    assert.equal(byAdmin.body.error, 'step_up_required');
    await alice.post('/auth/step-up', { password: alice.password });
    assert.equal((await handOver()).status, 200);
  });
});
