import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Authenticator, makePasskey, signInOptions } from '../../../../../test/kit/authenticator.ts';
import { onEachEngine } from '../../../../../test/kit/engines.ts';
import { Mailbox } from '../../../../../test/kit/mailbox.ts';
import type { Caller } from '../../../../../test/kit/person.ts';
import { oneServer, startServer } from '../../../../../test/kit/server.ts';
import { setUpTotp } from '../../../../../test/kit/totp.ts';

const publicUrl = 'https://notes.example.org';
const config = { publicUrl };
const refusalOf = ({ status, body }: Awaited<ReturnType<Caller['get']>>) => [status, body.error];
const INVALID = [401, 'invalid_passkey'];

onEachEngine('passkeys', (open) => {
  const lines: string[] = [];
  const mailer = new Mailbox();
  const one = oneServer(() => ({ open, config, mailer, log: (line) => lines.push(line) }));
  const start = async ({ isSynced = false, counts = true } = {}) => {
    const server = await one();
    const { alice, anyone } = server;
    await alice.signed();
    const device = new Authenticator(publicUrl, { isSynced, counts });
    const id = await makePasskey(alice, device, 'Laptop');
    const signIn = async (by = device, options = signInOptions(anyone)) =>
      anyone.post('/auth/passkeys/login/verify', by.get(await options));
    const passkeys = async () => (await alice.get('/me/passkeys')).body.passkeys;
    return { server, alice, anyone, device, id, signIn, passkeys };
  };
  const logged = (event: string) => lines.filter((line) => line.includes(`"event":"passkey_${event}"`)).length;

  test('an admin sees how many passkeys an account has, and removes them with its second factor', async () => {
    // The first test, so that alice is the admin.
    const { server, alice, signIn } = await start();
    const list = async () =>
      (await alice.get('/admin/users')).body.users.map((user: { passkeys: number }) => user.passkeys);
    assert.deepEqual(await list(), [1]);
    await server.app.identities.resetNamed(alice.email);
    assert.deepEqual(await list(), [0]);
    assert.deepEqual(refusalOf(await signIn()), INVALID);
  });

  test('a passkey signs in alone, also where a password needs a second factor', async () => {
    const { server, alice, signIn, passkeys } = await start();
    await setUpTotp(alice, server.clock);
    const entered = await signIn();
    assert.equal(entered.status, 200, String(entered.bytes));
    assert.ok(entered.cookie('refresh_token'));
    assert.equal(entered.body.user.email, alice.email);
    const { sessions } = (await server.bearer(entered.body.access_token).get('/me/sessions')).body;
    assert.equal(sessions[0].method, 'passkey');
    const [{ name, host, synced, transports, last_used_at, copied_at }] = await passkeys();
    assert.deepEqual([name, host, synced, transports], ['Laptop', 'notes.example.org', false, ['internal']]);
    assert.deepEqual([typeof last_used_at, copied_at], ['string', null]);
    const { methods } = (await alice.get('/me/sign-in')).body;
    assert.deepEqual(methods, ['password', 'passkey', 'totp', 'recovery_code']);
  });

  test('a passkey is no second factor: the password of its account signs in without a ticket', async () => {
    const { alice, anyone } = await start();
    const { email, password } = alice;
    assert.equal((await anyone.post('/auth/login', { email, password })).status, 200);
  });

  test('a session that is to end with the browser does so', async () => {
    const { anyone, device } = await start();
    const used = { ...device.get(await signInOptions(anyone)), remember: false };
    const [cookie] = (await anyone.post('/auth/passkeys/login/verify', used)).headers.getSetCookie();
    assert.doesNotMatch(cookie ?? '', /Max-Age/i);
  });

  test('options are alike for everybody, and an unknown passkey is refused like a wrong answer', async () => {
    const { anyone, signIn, device } = await start();
    const { challenge, ...options } = await signInOptions(anyone);
    const { challenge: next, ...again } = await signInOptions(anyone);
    assert.notEqual(challenge, next);
    assert.deepEqual(options, again);
    assert.deepEqual(
      [options.rpId, options.userVerification, options.allowCredentials],
      [...['notes.example.org', 'required'], []],
    );
    const stranger = new Authenticator(publicUrl);
    stranger.create({ challenge, rp: { id: 'notes.example.org' }, user: { id: 'x' } } as never);
    assert.deepEqual(refusalOf(await signIn(stranger)), INVALID);
    const answer = device.get(await signInOptions(anyone));
    answer.response.signature = stranger.get(await signInOptions(anyone)).response.signature;
    assert.deepEqual(refusalOf(await anyone.post('/auth/passkeys/login/verify', answer)), INVALID);
  });

  test('answers for another origin or host, or without user verification, are refused', async () => {
    const { alice, anyone, device } = await start();
    const deviations = [
      { origin: 'https://evil.example.org' },
      { rpId: 'evil.example.org' },
      { unverified: true },
    ] as const;
    for (const deviation of deviations) {
      const used = device.get(await signInOptions(anyone), deviation);
      assert.deepEqual(refusalOf(await anyone.post('/auth/passkeys/login/verify', used)), INVALID);
      const options = (await alice.post('/auth/passkeys/register/options')).body;
      const made = new Authenticator(publicUrl).create(options, deviation);
      assert.deepEqual(refusalOf(await alice.post('/auth/passkeys/register/verify', made)), [422, 'invalid_passkey']);
    }
  });

  test('of concurrent answers to one challenge on two processes, one signs in', async () => {
    const { server, anyone, device } = await start({ counts: false });
    const { db, blobs, clock, masterKey } = server;
    await using second = await startServer({ open: async () => db, blobs, clock, masterKey, config });
    const used = device.get(await signInOptions(anyone));
    const answers = await Promise.all(
      [anyone, second.anyone, anyone, second.anyone].map((each) => each.post('/auth/passkeys/login/verify', used)),
    );
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 401, 401, 401]);
  });

  test('a challenge is bound to its ceremony and its session, and expires after ten minutes', async () => {
    const { server, alice, anyone, device } = await start();
    const { email, password } = alice;
    const other = server.bearer((await anyone.post('/auth/login', { email, password })).body.access_token);
    const stepUp = (await alice.post('/auth/step-up/options')).body;
    assert.deepEqual(refusalOf(await anyone.post('/auth/passkeys/login/verify', device.get(stepUp))), INVALID);
    const proof = { passkey: device.get(stepUp) };
    assert.deepEqual(refusalOf(await other.post('/auth/step-up', proof)), [403, 'invalid_passkey']);
    const signIn = device.get(await signInOptions(anyone));
    assert.deepEqual(refusalOf(await alice.post('/auth/step-up', { passkey: signIn })), [403, 'invalid_passkey']);
    const options = (await alice.post('/auth/passkeys/register/options')).body;
    const made = new Authenticator(publicUrl).create(options);
    assert.equal((await other.post('/auth/passkeys/register/verify', made)).status, 422);
    assert.equal((await alice.post('/auth/passkeys/register/verify', made)).status, 201);
    assert.equal((await alice.post('/auth/passkeys/register/verify', made)).status, 422, 'it works once');
    const late = device.get(await signInOptions(anyone));
    server.clock.advance({ minutes: 10 });
    assert.deepEqual(refusalOf(await anyone.post('/auth/passkeys/login/verify', late)), INVALID);
    await server.app.identities.sweep();
  });

  test('a counter that goes back refuses a passkey that is bound to a device, and is reported', async () => {
    const { device, signIn, passkeys } = await start();
    device.counter = 5;
    assert.equal((await signIn()).status, 200);
    const before = logged('copied');
    device.counter = 2;
    assert.deepEqual(refusalOf(await signIn()), [403, 'passkey_copied']);
    assert.equal(typeof (await passkeys())[0].copied_at, 'string');
    assert.equal(logged('copied'), before + 1);
    device.counter = 6;
    assert.equal((await signIn()).status, 200, 'the authenticator that counted on may go on');
  });

  test('the owner of a passkey that may have been copied gets one mail a day, at a confirmed address', async () => {
    const { server, alice, device, signIn } = await start();
    const { accounts, mails } = server.app;
    const mailed = async (counter: number) => {
      const before = mailer.sent.length;
      device.counter = counter;
      await signIn();
      await mails.sendDue();
      const about = mailer.sent.slice(before).filter(({ subject }) => subject.startsWith('A passkey may have been'));
      for (const { to, text } of about) assert.deepEqual([to, text.includes('“Laptop”')], [alice.email, true]);
      return about.length;
    };
    assert.equal(await mailed(5), 0);
    assert.equal(await mailed(2), 0, 'nobody has confirmed the address');
    await accounts.confirmNamed(alice.email);
    server.clock.advance({ days: 1, seconds: 1 });
    assert.equal(await mailed(2), 1);
    assert.equal(await mailed(2), 0);
    server.clock.advance({ days: 1, seconds: 1 });
    assert.equal(await mailed(2), 1);
  });

  test('a counter that goes back is only logged for a synced passkey, and 0 stays 0', async () => {
    const { device, signIn, passkeys } = await start({ isSynced: true });
    device.counter = 5;
    await signIn();
    const before = logged('counter_ignored');
    device.counter = 1;
    assert.equal((await signIn()).status, 200);
    assert.equal(logged('counter_ignored'), before + 1);
    const [{ synced, copied_at }] = await passkeys();
    assert.deepEqual([synced, copied_at], [true, null]);

    const silent = await start({ counts: false });
    for (let uses = 0; uses < 2; uses++) assert.equal((await silent.signIn()).status, 200);
    assert.equal(logged('counter_ignored'), before + 1);
  });

  test('an account with a passkey proves by it who uses a session before keys and its deletion', async () => {
    const { server, alice, anyone, device } = await start();
    const { bob } = server;
    await bob.signed();
    const foreign = new Authenticator(publicUrl);
    await makePasskey(bob, foreign);
    const caller = server.bearer((await anyone.post('/auth/login', alice)).body.access_token);
    server.clock.advance({ minutes: 10 });
    const asked = await caller.post('/api-keys', { name: 'a' });
    assert.deepEqual([asked.status, asked.body.methods], [403, ['password', 'passkey']]);
    assert.equal((await caller.delete('/me', { password: alice.password })).body.error, 'step_up_required');
    const options = async () => (await caller.post('/auth/step-up/options')).body;
    const another = foreign.get({ ...(await options()), allowCredentials: [] });
    assert.deepEqual(refusalOf(await caller.post('/auth/step-up', { passkey: another })), [403, 'invalid_passkey']);
    assert.equal((await caller.post('/auth/step-up', { passkey: device.get(await options()) })).status, 200);
    assert.equal((await caller.post('/api-keys', { name: 'a' })).status, 200);
  });

  test('a passkey is renamed and deleted by its owner only, and signs in no more', async () => {
    const { server, alice, id, signIn, passkeys } = await start();
    const { bob } = server;
    await bob.signed();
    assert.equal((await bob.patch(`/me/passkeys/${id}`, { name: 'Mine' })).status, 404);
    assert.equal((await bob.delete(`/me/passkeys/${id}`)).status, 404);
    assert.equal((await alice.patch(`/me/passkeys/${id}`, { name: ' ' })).status, 422);
    assert.equal((await alice.patch(`/me/passkeys/${id}`, { name: 'Phone' })).body.passkey.name, 'Phone');
    server.clock.advance({ minutes: 10 });
    assert.equal((await alice.delete(`/me/passkeys/${id}`)).body.error, 'step_up_required');
    await alice.post('/auth/step-up', { password: alice.password });
    assert.equal((await alice.delete(`/me/passkeys/${id}`)).status, 204);
    assert.deepEqual(await passkeys(), []);
    assert.deepEqual(refusalOf(await signIn()), INVALID);
  });

  test('the last method of an account without a password cannot be deleted', async () => {
    const { server } = await start();
    const { accounts } = server.app;
    const email = `made-${server.clock.uuid()}@example.org`;
    await accounts.createUser(email);
    const caller = server.bearer((await accounts.openSession(email)).token);
    const id = await makePasskey(caller, new Authenticator(publicUrl));
    assert.deepEqual(refusalOf(await caller.delete(`/me/passkeys/${id}`)), [409, 'last_sign_in_method']);
    await makePasskey(caller, new Authenticator(publicUrl));
    assert.equal((await caller.delete(`/me/passkeys/${id}`)).status, 204);
  });

  test('a passkey of a suspended account is refused, and one of a deleted account is unknown', async () => {
    const { server, signIn } = await start();
    const { bob } = server;
    await bob.signed();
    const device = new Authenticator(publicUrl);
    await makePasskey(bob, device);
    await server.app.accounts.setSuspended(bob.email, true);
    assert.deepEqual(refusalOf(await signIn(device)), [403, 'account_suspended']);
    await server.app.accounts.setSuspended(bob.email, false);
    assert.equal((await bob.delete('/me', { password: bob.password })).status, 200);
    assert.deepEqual(refusalOf(await signIn(device)), INVALID);
  });

  test('passkeys are offered at the public host alone', async () => {
    const { anyone } = await start();
    const methodsAt = async (host: string) => (await anyone.get('/auth/bootstrap', { host })).body.methods;
    assert.deepEqual(await methodsAt('notes.example.org'), ['password', 'passkey']);
    assert.deepEqual(await methodsAt('192.0.2.1:4100'), ['password']);
  });
});

onEachEngine('passkeys of a server without https or a name', (open) => {
  test('are neither offered nor made', async () => {
    await using server = await startServer({ open });
    const { alice, anyone } = server;
    assert.deepEqual((await anyone.get('/auth/bootstrap')).body.methods, ['password']);
    assert.equal((await anyone.post('/auth/passkeys/login/options')).body.error, 'passkeys_unavailable');
    assert.equal((await alice.post('/auth/passkeys/register/options')).body.error, 'passkeys_unavailable');
  });
});
