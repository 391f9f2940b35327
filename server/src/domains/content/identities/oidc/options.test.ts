import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startAttacker } from '../../../../../test/kit/clients/attacking-provider.ts';
import { signInBy, startProvider, type TestProvider } from '../../../../../test/kit/clients/identity-provider.ts';
import { Browser } from '../../../../../test/kit/clients/oauth.ts';
import { onSqlite } from '../../../../../test/kit/engines.ts';
import type { Caller } from '../../../../../test/kit/person.ts';
import { oneServer, startServer, type TestServer } from '../../../../../test/kit/server.ts';
import { until } from '../../../../../test/kit/until.ts';

const CALLBACK = 'http://127.0.0.1:4100/api/auth/oidc/callback';
const faultOf = ({ text }: { readonly text: string }) => /<code>(.*)<\/code>/.exec(text)?.[1];

/** Signs in, and resolves to the last page and to a caller with the session; null without one. */
async function enter(provider: Pick<TestProvider, 'visit'>, server: TestServer) {
  const browser = new Browser(server);
  const page = await signInBy(provider, browser, server.publicUrl);
  const cookie = browser.cookies.find(({ name }) => name === 'refresh_token');
  if (cookie === undefined) return { page, caller: null };
  const headers = { cookie: `refresh_token=${cookie.value}` };
  const { body } = await server.anyone.post('/auth/refresh', undefined, headers);
  return { page, caller: server.bearer(body.access_token) };
}

/** Begins a visit to the provider for a session. */
async function begin(server: TestServer, caller: Caller, path: string) {
  const begun = await caller.post(path, { return_to: '/settings' });
  assert.equal(begun.status, 200, begun.bytes.toString());
  const browser = new Browser(server);
  const headers = { cookie: `oidc_state=${begun.cookie('oidc_state')}` };
  return { url: begun.body.url as string, end: async (back: string) => browser.open(back, { headers }) };
}

const stored = ({ db, blobs, clock, masterKey }: TestServer) => ({ open: async () => db, blobs, clock, masterKey });

onSqlite('the options of signing in by OpenID Connect', (open) => {
  let provider: TestProvider;
  const one = oneServer(async () => {
    provider = await startProvider(CALLBACK);
    return { open, config: provider.config };
  });
  after(() => provider?.[Symbol.asyncDispose]());

  test('by default people without an account stay out, and roles stay as they are', async () => {
    const server = await one();
    const { alice } = server;
    await alice.signed();
    provider.signsIn('carol', { email: 'carol@example.org', email_verified: true });
    const { page, caller } = await enter(provider, server);
    assert.deepEqual([page.status, faultOf(page), caller], [403, 'no_account', null]);
    await server.app.accounts.confirmNamed(alice.email);
    provider.signsIn('alice', { email: alice.email, email_verified: true, groups: [] });
    const admin = (await enter(provider, server)).caller;
    assert.equal((await admin?.get('/me'))?.body.user.role, 'admin');
  });

  test('a sign-in begins at the public host, with state, nonce and PKCE in a sealed cookie', async () => {
    const { anyone, publicUrl } = await one();
    const start = (host: string, query: string) => anyone.get(`/auth/oidc/start?${query}`, { host });
    const elsewhere = await start('192.0.2.1', 'return_to=/a&remember=false');
    const again = 'return_to=%2Fa&remember=false&sent_on=1';
    assert.equal(elsewhere.headers.get('location'), `${publicUrl}/api/auth/oidc/start?${again}`);
    assert.deepEqual(elsewhere.headers.getSetCookie(), []);
    for (const [host, query] of [
      [new URL(publicUrl).host, 'return_to=/a'],
      // A proxy that renames hosts makes no loop.
      ['192.0.2.1', again],
    ] as const) {
      const { headers } = await start(host, query);
      const { origin, searchParams } = new URL(headers.get('location') ?? '');
      assert.equal(origin, provider.issuer);
      const asked = Object.fromEntries(searchParams);
      assert.deepEqual([asked.code_challenge_method, asked.redirect_uri], ['S256', CALLBACK]);
      const [cookie = ''] = headers.getSetCookie();
      assert.match(cookie, /^oidc_state=[\w.-]+; Max-Age=600; Path=\/api\/auth\/oidc; HttpOnly; SameSite=Lax$/);
      for (const secret of [asked.state, asked.nonce, asked.code_challenge]) {
        assert.match(secret ?? '', /^[\w-]{43}$/);
        assert.ok(!cookie.includes(secret ?? ''));
      }
    }
  });

  test('people of two providers with one subject have two accounts', async () => {
    const server = await one();
    await server.alice.signed();
    await using other = await startProvider(CALLBACK);
    const emails: unknown[] = [];
    for (const [each, email] of [
      [provider, 'sam@example.org'],
      [other, 'other-sam@example.org'],
      [provider, 'new-sam@example.org'],
    ] as const) {
      await using at = await startServer({ ...stored(server), config: { ...each.config, oidcRegister: 'on' } });
      each.signsIn('sam', { email, email_verified: true });
      emails.push((await (await enter(each, at)).caller?.get('/me'))?.body.user.email);
    }
    assert.deepEqual(emails, ['sam@example.org', 'other-sam@example.org', 'sam@example.org']);
  });

  test('an admin without a password deletes an account after a proof at the provider', async () => {
    const server = await one();
    await server.alice.signed();
    const bob = await server.bob.signed();
    const config = {
      ...provider.config,
      oidcRegister: 'on',
      oidcAdminClaim: { name: 'groups', value: 'admins' },
    } as const;
    await using at = await startServer({ ...stored(server), config });
    provider.signsIn('root', { email: 'root@example.org', email_verified: true, groups: ['admins'] });
    const { caller } = await enter(provider, at);
    assert.ok(caller !== null);
    at.clock.advance({ minutes: 10 });
    const remove = () => caller.delete(`/admin/users/${bob.id}`, {});
    const asked = await remove();
    assert.deepEqual([asked.status, asked.body], [403, { error: 'step_up_required', methods: ['oidc'] }]);
    const { url, end } = await begin(at, caller, '/auth/step-up/oidc');
    assert.equal(new URL(url).searchParams.get('max_age'), '0');
    await end(await provider.visit(url));
    assert.ok((await remove()).status < 300);
  });
});

onSqlite('proofs at a provider', (open) => {
  let attacker: Awaited<ReturnType<typeof startAttacker>>;
  const one = oneServer(async () => {
    attacker = await startAttacker();
    return { open, config: { ...attacker.config, oidcRegister: 'on' } };
  });
  after(() => attacker?.[Symbol.asyncDispose]());
  const seconds = () => Math.floor(Date.now() / 1000);

  test('that does not date them take a second sign-in, and count only without another method', async () => {
    const server = await one();
    await server.alice.signed();
    attacker.plays({});
    const { caller } = await enter(attacker, server);
    assert.ok(caller !== null);
    assert.equal((await caller.delete('/me')).body.error, 'step_up_required', 'nobody knows when eve signed in');
    const first = await begin(server, caller, '/auth/step-up/oidc');
    const second = await first.end(await attacker.visit(first.url));
    const asked = new URL(second.url).searchParams;
    assert.deepEqual([asked.get('max_age'), asked.get('prompt')], ['0', 'login']);
    assert.equal((await caller.delete('/me')).body.error, 'step_up_required');
    const cookie = /oidc_state=[^;]*/.exec(second.headers.getSetCookie().join())?.[0] ?? '';
    const back = await attacker.visit(second.url);
    const done = await new Browser(server).open(back, { headers: { cookie } });
    assert.equal(done.url, `${server.publicUrl}/settings`);
    const changed = await caller.post('/auth/password/change', { new_password: 'a first password' });
    assert.equal(changed.status, 200);
    const refused = await begin(server, caller, '/auth/step-up/oidc');
    const page = await refused.end(await attacker.visit(refused.url));
    assert.deepEqual([page.status, faultOf(page)], [403, 'not_fresh']);
    assert.match(page.text, /auth_time/);
  });

  test('that are old prove nothing, neither when they are asked for nor at a sign-in', async () => {
    const server = await one();
    await server.alice.signed();
    const names = { sub: 'mia' };
    attacker.plays({
      claims: { ...names, auth_time: seconds() - 3600 },
      userInfo: { ...names, email: 'mia@example.org' },
    });
    const { caller } = await enter(attacker, server);
    assert.ok(caller !== null);
    assert.equal((await caller.delete('/me')).body.error, 'step_up_required');
    const old = await begin(server, caller, '/auth/step-up/oidc');
    assert.equal(faultOf(await old.end(await attacker.visit(old.url))), 'not_fresh');
    attacker.plays({ claims: { ...names, auth_time: seconds() }, userInfo: { ...names, email: 'mia@example.org' } });
    const fresh = await begin(server, caller, '/auth/step-up/oidc');
    await fresh.end(await attacker.visit(fresh.url));
    assert.equal((await caller.delete('/me')).status, 200);
  });
});

onSqlite('the metadata of a provider', (open) => {
  test('is renewed in the background after an hour, and stays in use while the provider fails', async () => {
    await using attacker = await startAttacker();
    await using server = await startServer({ open, config: attacker.config });
    await server.alice.signed();
    const start = async () =>
      new URL((await new Browser(server).open(`${server.publicUrl}/api/auth/oidc/start`)).url).pathname;
    assert.equal(await start(), '/authorize');
    attacker.plays({ status: 500 });
    server.clock.advance({ hours: 1, ms: 1 });
    assert.equal(await start(), '/authorize');
    attacker.plays({ metadata: { authorization_endpoint: `${attacker.issuer}/new` } });
    await until(async () => (await start()) === '/new', 'the new address');
  });
});
