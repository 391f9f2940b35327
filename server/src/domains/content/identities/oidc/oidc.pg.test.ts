import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { signInBy, startProvider, type TestProvider } from '../../../../../test/kit/clients/identity-provider.ts';
import { Browser } from '../../../../../test/kit/clients/oauth.ts';
import { OAuthApp } from '../../../../../test/kit/clients/oauth-app.ts';
import { onEachEngine } from '../../../../../test/kit/engines.ts';
import type { Caller, Person } from '../../../../../test/kit/person.ts';
import { oneServer, startServer, type TestServer } from '../../../../../test/kit/server.ts';
import type { Database } from '../../../../ports/database/database.ts';

const CALLBACK = 'http://127.0.0.1:4100/api/auth/oidc/callback';
const VERIFIED = { email_verified: true } as const;

onEachEngine('signing in by OpenID Connect', (open) => {
  let provider: TestProvider;
  const one = oneServer(async () => {
    provider = await startProvider(CALLBACK);
    const config = {
      ...provider.config,
      oidcRegister: 'on',
      oidcAdminClaim: { name: 'groups', value: 'admins' },
    } as const;
    return { open, config };
  });
  after(() => provider?.[Symbol.asyncDispose]());

  /** Signs in, and resolves to the last page and to a caller with the session; null without one. */
  async function enter(server: TestServer, subject: string, claims: object, returnTo = '/') {
    provider.signsIn(subject, { ...claims });
    const browser = new Browser(server);
    const page = await signInBy(provider, browser, server.publicUrl, returnTo);
    return { page, caller: await callerOf(server, browser) };
  }

  async function callerOf({ anyone, bearer }: TestServer, browser: Browser): Promise<Caller | null> {
    const cookie = browser.cookies.find(({ name }) => name === 'refresh_token');
    if (cookie === undefined) return null;
    const { body } = await anyone.post('/auth/refresh', undefined, { cookie: `refresh_token=${cookie.value}` });
    return bearer(body.access_token);
  }

  /** Visits the provider for a session, and resolves to the last page. */
  async function visit(server: TestServer, caller: Caller, path: string) {
    const begun = await caller.post(path, { return_to: '/settings' });
    assert.equal(begun.status, 200, begun.bytes.toString());
    const headers = { cookie: `oidc_state=${begun.cookie('oidc_state')}` };
    return new Browser(server).open(await provider.visit(begun.body.url), { headers });
  }

  const providerHref = ({ text }: { readonly text: string }) =>
    /href="([^"]*\/oidc\/start[^"]*)"/.exec(text)?.[1]?.replaceAll('&amp;', '&') ?? '';
  const roleOf = async (caller: Caller | null) => (await caller?.get('/me'))?.body.user.role;
  const faultOf = ({ text }: { readonly text: string }) => /<code>(.*)<\/code>/.exec(text)?.[1];

  test('the first account still needs the setup token; later ones are made and confirmed by the provider', async () => {
    const server = await one();
    const refused = await enter(server, 'first', { email: 'first@example.org', ...VERIFIED });
    assert.deepEqual([refused.page.status, faultOf(refused.page)], [403, 'first_account_missing']);
    await server.alice.signed();
    const { page, caller } = await enter(
      server,
      'carol',
      { email: 'Carol@Example.org', name: 'Carol', ...VERIFIED },
      '/v?a=1#b',
    );
    assert.equal(page.url, 'http://127.0.0.1:4100/v?a=1#b');
    const { user } = (await caller?.get('/me'))?.body ?? {};
    assert.deepEqual([user.email, user.display_name, user.role], ['carol@example.org', 'Carol', 'member']);
    const settings = (await caller?.get('/me/sign-in'))?.body;
    assert.ok(settings.email_confirmed_at !== null);
    assert.deepEqual(settings.methods, ['oidc']);
    assert.deepEqual(
      [settings.identities[0].issuer, settings.identities[0].email],
      [provider.issuer, 'Carol@Example.org'],
    );
    assert.equal((await caller?.get('/me/sessions'))?.body.sessions[0].method, 'oidc');
    // Another address of the same person leads to the same account.
    const again = await enter(server, 'carol', { email: 'new@example.org', ...VERIFIED });
    assert.equal((await again.caller?.get('/me'))?.body.user.email, 'carol@example.org');
    const offered = (await server.anyone.get('/auth/bootstrap')).body;
    assert.deepEqual([offered.methods, offered.oidc], [['password', 'oidc'], { name: 'Home' }]);
  });

  test('only a verified address joins an account, and only one whose own address is confirmed', async () => {
    const server = await one();
    const { bob, app } = server;
    const { id } = await signed(bob);
    const { email } = bob;
    for (const claims of [
      {},
      { email_verified: false },
      { email_verified: 'false' },
      { email_verified: 'true' },
      { email_verified: 1 },
    ]) {
      const { page, caller } = await enter(server, `bob-${email}`, { email, ...claims });
      assert.deepEqual([page.status, faultOf(page), caller], [403, 'unverified', null], JSON.stringify(claims));
    }
    const unconfirmed = await enter(server, `bob-${email}`, { email, ...VERIFIED });
    assert.deepEqual([unconfirmed.page.status, faultOf(unconfirmed.page)], [403, 'unconfirmed']);
    await app.accounts.confirmNamed(email);
    const { caller } = await enter(server, `bob-${email}`, { email, ...VERIFIED });
    assert.equal((await caller?.get('/me'))?.body.user.id, id);
    const other = await enter(server, `mallory-${email}`, { email, ...VERIFIED });
    assert.deepEqual([other.page.status, faultOf(other.page)], [403, 'joined_already']);
    const without = await enter(server, `nobody-${email}`, VERIFIED);
    assert.deepEqual([without.page.status, faultOf(without.page)], [403, 'no_email']);
  });

  test('an unverified address of nobody makes an account whose address is unconfirmed', async () => {
    const server = await one();
    const email = server.person('dora').email;
    await server.alice.signed();
    const { caller } = await enter(server, email, { email, email_verified: false });
    assert.equal((await caller?.get('/me/sign-in'))?.body.email_confirmed_at, null);
  });

  test('the claim makes an admin and takes the role away again, but never from the last admin', async () => {
    const server = await one();
    await server.alice.signed();
    const email = server.person('erin').email;
    const erin = (groups: unknown) => enter(server, email, { email, groups, ...VERIFIED });
    assert.equal(await roleOf((await erin(['users'])).caller), 'member');
    const { caller } = await erin(['users', 'admins']);
    assert.equal(await roleOf(caller), 'admin');
    assert.equal(await roleOf((await erin([])).caller), 'member');
    assert.equal(await roleOf(caller), 'member', 'sessions of before have the role too');
    const admin = (await erin('admins')).caller;
    const others = (await admin?.get('/admin/users'))?.body.users.filter(
      (user: { role: string; email: string }) => user.role === 'admin' && user.email !== email,
    );
    for (const other of others) await server.app.accounts.setSuspended(other.email, true);
    assert.equal(await roleOf((await erin(undefined)).caller), 'admin');
    for (const other of others) await server.app.accounts.setSuspended(other.email, false);
  });

  test('a person joins an identity from the settings, and nobody else can take or use it', async () => {
    const server = await one();
    const { bob, alice } = server;
    await signed(bob);
    provider.signsIn(`joined-${bob.email}`, { email: 'elsewhere@example.org' });
    const page = await visit(server, bob, '/me/identities');
    assert.equal(page.url, 'http://127.0.0.1:4100/settings');
    const taken = await visit(server, alice, '/me/identities');
    assert.deepEqual([taken.status, faultOf(taken)], [403, 'taken']);
    assert.equal((await visit(server, bob, '/me/identities')).url, 'http://127.0.0.1:4100/settings', 'joined already');
    const { caller } = await enter(server, `joined-${bob.email}`, { email: 'elsewhere@example.org' });
    assert.equal((await caller?.get('/me'))?.body.user.email, bob.email);
    const { identities } = (await bob.get('/me/sign-in')).body;
    assert.equal(identities.length, 1);
    assert.equal((await alice.delete(`/me/identities/${identities[0].id}`)).status, 404);
    assert.equal((await bob.delete(`/me/identities/${identities[0].id}`)).status, 204);
    assert.deepEqual((await bob.get('/me/sign-in')).body.methods, ['password']);
    // The session that began a visit may end meanwhile.
    const begun = await bob.post('/me/identities', {});
    await bob.post('/auth/logout');
    const headers = { cookie: `oidc_state=${begun.cookie('oidc_state')}` };
    const over = await new Browser(server).open(await provider.visit(begun.body.url), { headers });
    assert.deepEqual([over.status, faultOf(over)], [400, 'sign_in_over']);
  });

  test('an identity does not join by a session that ends after it was looked up', async () => {
    let afterLookUp: (() => Promise<unknown>) | null = null;
    // Starts the provider.
    await one();
    const db = await open();
    const get: Database['get'] = async (statement, params) => {
      const found = await db.get(statement, params);
      const act = 'userId' in Object(params) ? afterLookUp : null;
      if (act !== null) afterLookUp = null;
      await act?.();
      return found;
    };
    const watched = new Proxy(db, {
      get(target, name) {
        const own: unknown = name === 'get' ? get : Reflect.get(target, name, target);
        return typeof own === 'function' ? own.bind(target) : own;
      },
    });
    await using server = await startServer({ open: async () => watched, config: provider.config });
    const { alice } = server;
    const begun = await alice.post('/me/identities', { return_to: '/settings' });
    const other = server.bearer((await alice.logIn()).body.access_token);
    provider.signsIn('late', { email: 'late@example.org' });
    const back = await provider.visit(begun.body.url);
    afterLookUp = async () => assert.equal((await other.delete('/me/sessions')).status, 200);
    const page = await new Browser(server).open(back, {
      headers: { cookie: `oidc_state=${begun.cookie('oidc_state')}` },
    });
    assert.equal(afterLookUp, null);
    assert.equal(faultOf(page), 'sign_in_over');
    assert.deepEqual((await other.get('/me/sign-in')).body.identities, []);
  });

  test('the only way to sign in is not removed; an account without a password proves itself at the provider', async () => {
    const server = await one();
    await server.alice.signed();
    const email = server.person('frank').email;
    const { caller } = await enter(server, email, { email, ...VERIFIED });
    assert.ok(caller !== null);
    server.clock.advance({ minutes: 10 });
    const asked = await caller.delete('/me');
    assert.deepEqual([asked.status, asked.body], [403, { error: 'step_up_required', methods: ['oidc'] }]);
    assert.equal((await caller.post('/auth/password/change', { new_password: 'a first password' })).status, 403);
    provider.signsIn('somebody else', {});
    assert.equal(faultOf(await visit(server, caller, '/auth/step-up/oidc')), 'other_person');
    provider.signsIn(email, { email });
    assert.equal((await visit(server, caller, '/auth/step-up/oidc')).url, 'http://127.0.0.1:4100/settings');
    const [{ id }] = (await caller.get('/me/sign-in')).body.identities;
    const last = await caller.delete(`/me/identities/${id}`);
    assert.deepEqual([last.status, last.body.error], [409, 'last_sign_in_method']);
    assert.equal((await caller.post('/auth/password/change', { new_password: 'a first password' })).status, 200);
    assert.equal((await server.anyone.post('/auth/login', { email, password: 'a first password' })).status, 200);
    assert.equal((await caller.delete(`/me/identities/${id}`)).status, 204);
    const other = (await enter(server, `${email} 2`, { email: `2${email}`, ...VERIFIED })).caller;
    assert.ok(other !== null);
    await visit(server, other, '/auth/step-up/oidc');
    assert.equal((await other.delete('/me')).status, 200);
  });

  test('a visit begun in one process ends in another, and only once', async () => {
    const server = await one();
    const { db, blobs, clock, masterKey } = server;
    const config = { ...provider.config, oidcRegister: 'on' } as const;
    await using second = await startServer({ open: async () => db, blobs, clock, masterKey, config });
    await server.alice.signed();
    const email = server.person('gina').email;
    provider.signsIn(email, { email, ...VERIFIED });
    const first = new Browser(server);
    const { url } = await first.open(`${server.publicUrl}/api/auth/oidc/start`);
    const back = await provider.visit(url);
    const cookie = first.cookies.map(({ name, value }) => `${name}=${value}`).join('; ');
    const end = (at: TestServer) => new Browser(at).open(back, { headers: { cookie } });
    assert.equal((await end(second)).url, `${server.publicUrl}/`);
    assert.equal(faultOf(await end(server)), 'invalid_grant');
  });

  test('a person decides about an application after signing in by the provider, without a session', async () => {
    const server = await one();
    await server.alice.signed();
    const email = server.person('ida').email;
    provider.signsIn(email, { email, ...VERIFIED });
    const browser = new Browser(server);
    const asked = await browser.open((await (await OAuthApp.register(server)).ask()).url);
    const back = await provider.visit((await browser.open(providerHref(asked))).url);
    const decision = await browser.open(back);
    assert.match(decision.text, /wants to use your vaults/);
    assert.ok(decision.text.includes(email));
    assert.ok(!browser.cookies.some(({ name }) => name === 'refresh_token'));
  });

  test('an account without a password links a device after signing in by the provider, without a session', async () => {
    const server = await one();
    const { db, blobs, clock, masterKey } = server;
    const config = { ...provider.config, passwordLogin: 'off' } as const;
    await using second = await startServer({ open: async () => db, blobs, clock, masterKey, config });
    await server.alice.signed();
    const email = server.person('jane').email;
    const { caller } = await enter(server, email, { email, ...VERIFIED });
    await caller?.post('/vaults', { name: 'Home' });
    const link = (await second.anyone.post('/auth/device', { device_name: 'Pad' })).body;
    const browser = new Browser(second);
    const typing = await browser.open(link.verification_uri);
    assert.doesNotMatch(typing.text, /oidc\/start|type="password"/);
    const asked = await browser.open(link.verification_uri_complete);
    assert.doesNotMatch(asked.text, /type="password"/);
    const back = await provider.visit((await browser.open(providerHref(asked))).url);
    const choice = await browser.open(back);
    assert.equal(choice.url, link.verification_uri_complete);
    assert.ok(choice.text.includes(email) && choice.text.includes(`<code>${link.user_code}</code>`));
    assert.ok(!browser.cookies.some(({ name }) => name === 'refresh_token'));
    assert.match((await browser.submit(choice, 'allow')).text, /<h1>Linked<\/h1>/);
    assert.equal((await second.anyone.post('/auth/device/token', { device_code: link.device_code })).status, 200);
  });

  test('a page that an identity signed in to decides nothing once the identity is removed', async () => {
    const server = await one();
    await server.alice.signed();
    const email = server.person('kim').email;
    const { caller } = await enter(server, email, { email, ...VERIFIED });
    assert.ok(caller !== null);
    await visit(server, caller, '/auth/step-up/oidc');
    assert.equal((await caller.post('/auth/password/change', { new_password: 'a first password' })).status, 200);
    await caller.post('/vaults', { name: 'Home' });
    const link = (await server.anyone.post('/auth/device', { device_name: 'Pad' })).body;
    const browser = new Browser(server);
    const asked = await browser.open(link.verification_uri_complete);
    const choice = await browser.open(await provider.visit((await browser.open(providerHref(asked))).url));
    const [{ id }] = (await caller.get('/me/sign-in')).body.identities;
    assert.equal((await caller.delete(`/me/identities/${id}`)).status, 204);
    assert.doesNotMatch((await browser.submit(choice, 'allow')).text, /<h1>Linked<\/h1>/);
    assert.equal((await server.anyone.post('/auth/device/token', { device_code: link.device_code })).status, 400);
  });

  test('a suspended account stays out', async () => {
    const server = await one();
    await server.alice.signed();
    const email = server.person('hugo').email;
    await enter(server, email, { email, ...VERIFIED });
    await server.app.accounts.setSuspended(email, true);
    const { page } = await enter(server, email, { email, ...VERIFIED });
    assert.deepEqual([page.status, faultOf(page)], [403, 'account_suspended']);
  });
});

async function signed(person: Person): Promise<{ readonly id: string }> {
  await person.signed();
  return (await person.get('/me')).body.user;
}
