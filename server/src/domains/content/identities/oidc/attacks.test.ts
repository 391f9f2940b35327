import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { after, test } from 'node:test';
import { type Attack, startAttacker } from '../../../../../test/kit/clients/attacking-provider.ts';
import { signInBy, startProvider, type TestProvider } from '../../../../../test/kit/clients/identity-provider.ts';
import { Browser } from '../../../../../test/kit/clients/oauth.ts';
import { onSqlite } from '../../../../../test/kit/engines.ts';
import { oneServer, startServer, type TestServer } from '../../../../../test/kit/server.ts';

const faultOf = ({ text }: { readonly text: string }) => /<code>(.*)<\/code>/.exec(text)?.[1];
const seconds = () => Math.floor(Date.now() / 1000);
const cookiesOf = ({ cookies }: Browser) => cookies.map(({ name, value }) => `${name}=${value}`).join('; ');
const isSignedIn = ({ cookies }: Browser) => cookies.some(({ name }) => name === 'refresh_token');

onSqlite('an attacking provider', (open) => {
  let attacker: Awaited<ReturnType<typeof startAttacker>>;
  const one = oneServer(async () => {
    attacker = await startAttacker();
    return { open, config: { ...attacker.config, oidcRegister: 'on' } };
  });
  after(() => attacker?.[Symbol.asyncDispose]());

  async function played(server: TestServer, attack: Attack) {
    attacker.plays(attack);
    const browser = new Browser(server);
    const page = await signInBy(attacker, browser, server.publicUrl);
    return { page, isIn: isSignedIn(browser) };
  }

  const tokens: Readonly<Record<string, Attack>> = {
    'is not signed': { header: { alg: 'none' }, signature: () => Buffer.of() },
    'is signed with the secret of the client': {
      header: { alg: 'HS256' },
      signature: (input) => createHmac('sha256', 'a-secret-of-the-client').update(input).digest(),
    },
    'is signed by another key': { signature: () => Buffer.alloc(256, 1) },
    'is of another issuer': { claims: { iss: 'https://issuer.example' } },
    'is for another client': { claims: { aud: 'other' } },
    'is for several clients, authorized by another': { claims: { aud: ['notevault', 'other'], azp: 'other' } },
    'answers another request': { claims: { nonce: 'another' } },
    'answers no request': { claims: { nonce: undefined } },
    'has expired': { claims: { exp: seconds() - 120, iat: seconds() - 600 } },
    'names nobody': { claims: { sub: undefined } },
    'is of another person than the claims': { userInfo: { sub: 'alice' } },
  };
  for (const [how, attack] of Object.entries(tokens)) {
    test(`signs nobody in with a token that ${how}`, async () => {
      const server = await one();
      await server.alice.signed();
      const { page, isIn } = await played(server, attack);
      assert.deepEqual([page.status, isIn], [502, false]);
      assert.match(page.text, /NOTEVAULT_OIDC_ISSUER/);
    });
  }

  test('signs nobody in by an answer of another issuer, and gets no code', async () => {
    const server = await one();
    await server.alice.signed();
    const before = attacker.tokens;
    for (const iss of ['https://issuer.example', '']) {
      const { page, isIn } = await played(server, { redirect: { iss } });
      assert.deepEqual([page.status, isIn], [502, false]);
    }
    assert.equal(attacker.tokens, before);
  });

  test('shows what a refusal says without its markup', async () => {
    const server = await one();
    await server.alice.signed();
    const { page } = await played(server, { redirect: { error: '<script>alert(1)</script>' } });
    assert.equal(page.status, 403);
    assert.doesNotMatch(page.text, /<script/);
  });

  test('signs in only the browser that began, and once', async () => {
    const server = await one();
    await server.alice.signed();
    attacker.plays({
      claims: { sub: server.alice.email },
      userInfo: { sub: server.alice.email, email: server.bob.email },
    });
    const own = new Browser(server);
    const back = await attacker.visit((await own.open(`${server.publicUrl}/api/auth/oidc/start`)).url);
    const victim = new Browser(server);
    assert.equal(faultOf(await victim.open(back)), 'sign_in_over', 'without a cookie');
    await victim.open(`${server.publicUrl}/api/auth/oidc/start`);
    assert.equal(faultOf(await victim.open(back)), 'sign_in_over', 'with the cookie of another visit');
    const forged = new URL(back);
    forged.searchParams.append('state', forged.searchParams.get('state') ?? '');
    assert.notEqual((await own.open(forged.href)).status, 404, 'with a repeated parameter');
    assert.ok(!isSignedIn(victim));
    const cookie = cookiesOf(own);
    server.clock.advance({ minutes: 10 });
    assert.equal(faultOf(await own.open(back, { headers: { cookie } })), 'sign_in_over', 'ten minutes later');
  });

  test('leads the browser nowhere else afterwards', async () => {
    const server = await one();
    await server.alice.signed();
    const names = { sub: server.bob.email, email: server.bob.email };
    attacker.plays({ claims: { sub: names.sub }, userInfo: names });
    for (const target of [
      'https://evil.example/',
      '//evil.example',
      '/\\evil.example',
      '/.//evil.example',
      'javascript:alert(1)',
    ]) {
      const browser = new Browser(server);
      const page = await signInBy(attacker, browser, server.publicUrl, target);
      assert.ok(page.url.startsWith('http://127.0.0.1:4100/'), page.url);
      assert.ok(isSignedIn(browser));
    }
  });
});

onSqlite('a provider that does not work', (open) => {
  test('has a page with the address of the issuer, and works again later', async () => {
    await using attacker = await startAttacker();
    await using server = await startServer({ open, config: attacker.config });
    const start = () => new Browser(server).open(`${server.publicUrl}/api/auth/oidc/start`);
    await server.alice.signed();
    const failing: Attack[] = [
      { status: 500 },
      { status: 302 },
      { metadata: { issuer: 'https://issuer.example' } },
      { metadata: { padding: 'x'.repeat(1024 * 1024) } },
    ];
    for (const attack of failing) {
      attacker.plays(attack);
      const page = await start();
      assert.equal(page.status, 502);
      assert.match(page.text, /NOTEVAULT_OIDC_ISSUER/);
      assert.equal((await server.alice.post('/me/identities', {})).body.error, 'oidc_unreachable');
    }
    attacker.plays({});
    assert.match((await start()).url, /\/authorize\?/);
    attacker.plays({ status: 500 });
    assert.match((await start()).url, /\/authorize\?/, 'the metadata is cached');
  });
});

onSqlite('a code', (open) => {
  let provider: TestProvider;
  const one = oneServer(async () => {
    provider = await startProvider('http://127.0.0.1:4100/api/auth/oidc/callback');
    return { open, config: { ...provider.config, oidcRegister: 'on' } };
  });
  after(() => provider?.[Symbol.asyncDispose]());

  test('of another client signs nobody in', async () => {
    const server = await one();
    await server.alice.signed();
    provider.signsIn('eve', { email: 'eve@example.org', email_verified: true });
    const browser = new Browser(server);
    const url = new URL((await browser.open(`${server.publicUrl}/api/auth/oidc/start`)).url);
    url.searchParams.set('client_id', 'other');
    const page = await browser.open(await provider.visit(url.href));
    assert.deepEqual([page.status, faultOf(page), isSignedIn(browser)], [400, 'invalid_grant', false]);
  });

  test('that was used signs nobody in again', async () => {
    const server = await one();
    await server.alice.signed();
    provider.signsIn('eve', { email: 'eve@example.org', email_verified: true });
    const browser = new Browser(server);
    const { url } = await browser.open(`${server.publicUrl}/api/auth/oidc/start`);
    const [back, cookie] = [await provider.visit(url), cookiesOf(browser)];
    await browser.open(back);
    assert.ok(isSignedIn(browser));
    const page = await new Browser(server).open(back, { headers: { cookie } });
    assert.deepEqual([page.status, faultOf(page)], [400, 'invalid_grant']);
  });
});
