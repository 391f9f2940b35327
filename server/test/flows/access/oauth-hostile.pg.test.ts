/** Attacks on the OAuth endpoints by applications, pages and visitors. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { Browser, fieldsOf, type Met, outside, signedIn } from '../../kit/clients/oauth.ts';
import { type Asking, OAuthApp, oauthErrorOf } from '../../kit/clients/oauth-app.ts';
import { onEachEngine, rawOf } from '../../kit/engines.ts';
import { oneServer, startServer, type TestServer } from '../../kit/server.ts';

const ISSUER = 'https://notes.example';
const config = { publicUrl: ISSUER };

/** The page to which an authorization request leads a browser before anybody decides. */
const asked = async (app: OAuthApp, asking: Asking): Promise<Met> =>
  new Browser(app.server).open((await app.ask(asking)).url);
/** The error in the query, or in the fragment if the request asked for that. */
const errorIn = ({ url }: Met) => {
  const { searchParams, hash } = new URL(url);
  return searchParams.get('error') ?? new URLSearchParams(hash.slice(1)).get('error');
};

/** Posts to one of the endpoints without a client library. */
async function post(
  server: TestServer,
  path: string,
  body: string,
  type: string,
  headers: Record<string, string> = {},
) {
  const answer = await outside(server)(`${ISSUER}/oauth/${path}`, {
    method: 'POST',
    body,
    headers: { 'content-type': type, ...headers },
  });
  return { status: answer.status, headers: answer.headers, body: JSON.parse(await answer.text()) };
}
const register = (server: TestServer, metadata: unknown) =>
  post(server, 'register', typeof metadata === 'string' ? metadata : JSON.stringify(metadata), 'application/json');

onEachEngine('a hostile application', (open) => {
  const start = oneServer(() => ({ open, config }));

  test('gets nowhere without PKCE by S256, nor with another verifier', async () => {
    await using server = await start();
    await server.alice.post('/vaults', { name: 'Home' });
    const app = await OAuthApp.register(server);
    const none = { code_challenge: null, code_challenge_method: null };
    const wrong = [
      none,
      { code_challenge_method: 'plain' },
      { code_challenge_method: null },
      { code_challenge: 'short' },
    ];
    for (const more of wrong)
      assert.equal(errorIn(await asked(app, { more })), 'invalid_request', JSON.stringify(more));
    const secret = await OAuthApp.register(server, { token_endpoint_auth_method: 'client_secret_basic' });
    assert.equal(errorIn(await asked(secret, { more: none })), 'invalid_request', 'a secret does not stand in for it');
    const request = await app.ask();
    const back = await app.allowed(request);
    const guessed = { ...request, verifier: 'x'.repeat(43) };
    assert.equal(await oauthErrorOf(app.exchange(guessed, back)), 'invalid_grant');
  });

  test('cannot redirect a code or an error to an address that it did not register', async () => {
    await using server = await start();
    const app = await OAuthApp.register(server, {
      redirect_uris: ['https://app.example/cb', 'http://127.0.0.1/cb', 'com.example.app:/cb'],
    });
    const elsewhere = [
      ...[
        'https://app.example/cb/',
        'https://app.example/cb?x=1',
        'https://app.example/cb#x',
        'https://app.example:444/cb',
      ],
      ...['https://app.example.evil.example/cb', 'https://app.example@evil.example/cb', 'http://app.example/cb'],
      ...['https://APP.example/cb', 'https://evil.example/cb', '//evil.example/cb', 'javascript:alert(1)'],
      ...['http://127.0.0.1:99/other', 'http://127.0.0.1:99@evil.example/cb', 'http://127.0.0.1.evil.example/cb'],
      ...['http://localhost/cb', 'https://127.0.0.1/cb', 'com.example.app:/other', 'com.example.app.evil:/cb'],
      ...['https://app.example/cb\r\n', 'https://app.example/c\nb', ' https://app.example/cb'],
      ...['http://127.0.0.1:99/cb\r\nset-cookie: a=b', 'http://127.0.0.1:99/c\tb', 'http://127.0.0.1:99/cb\r\n'],
    ];
    for (const redirectUri of elsewhere) {
      for (const more of [{}, { scope: 'x', response_type: 'token' }, { prompt: 'none' }]) {
        const met = await asked(app, { redirectUri, more });
        assert.equal(met.status, 400, redirectUri);
        assert.ok(met.url.startsWith(`${ISSUER}/oauth/authorize`), redirectUri);
        assert.equal(met.headers.get('location'), null);
        assert.match(met.headers.get('content-type') ?? '', /^text\/html/);
      }
    }
    const unknown = await asked(app, { more: { client_id: 'nobody' } });
    assert.deepEqual([unknown.status, unknown.headers.get('location')], [400, null]);
    const request = await app.ask();
    const back = await app.allowed(request);
    const moved = { ...request, redirectUri: 'http://127.0.0.1/cb' };
    assert.equal(await oauthErrorOf(app.exchange(moved, back)), 'invalid_grant');
  });

  test('gets no token in a redirect, no form that submits itself, and no answer without a person', async () => {
    await using server = await start();
    const app = await OAuthApp.register(server);
    for (const response_type of ['token', 'id_token', 'code token', 'none']) {
      assert.match(
        errorIn(await asked(app, { more: { response_type } })) ?? '',
        /^(unsupported_response_type|invalid_request)$/,
      );
    }
    for (const response_mode of ['form_post', 'fragment', 'web_message']) {
      const met = await asked(app, { more: { response_mode } });
      assert.equal(errorIn(met), 'unsupported_response_mode', response_mode);
    }
    const { url } = await app.ask();
    await app.allowed({ url, redirectUri: '', verifier: '' });
    assert.equal(errorIn(await asked(app, { more: { prompt: 'none' } })), 'login_required');
    for (const prompt of ['login', 'consent', 'select_account', 'login consent']) {
      assert.match((await asked(app, { more: { prompt } })).text, /Sign in to give/, prompt);
    }
    const objects = [{ request: 'x.y.z' }, { request_uri: 'https://evil.example/request' }];
    for (const more of objects) assert.match(errorIn(await asked(app, { more })) ?? '', /_not_supported$/);
  });

  test('cannot write into the pages that people see', async () => {
    const hostile = `<script>alert(1)</script>"'\`><img src=x onerror=alert(1)>{{x}}`;
    await using server = await start();
    assert.equal((await server.alice.post('/vaults', { name: hostile })).status, 201);
    const app = await OAuthApp.register(server, {
      client_name: hostile,
      redirect_uris: [`https://app.example/cb?x="><script>alert(1)</script>`],
    });
    const browser = new Browser(server);
    const first = await browser.open((await app.ask()).url);
    const second = await browser.submit(first, 'sign-in', { email: '"><script>alert(2)</script>', password: 'x' });
    const third = await signedIn(new Browser(server), (await app.ask()).url, server.alice);
    const fault = await asked(app, {
      redirectUri: 'https://evil.example/<script>',
      more: { state: `${hostile}\u202eexe.\u0000` },
    });
    for (const page of [first, second, third, fault]) {
      assert.ok(!/<script|<img|onerror=alert\(1\)>/i.test(page.text.replace(/&[a-z#0-9]+;/g, ' ')), page.url);
      assert.ok(!page.text.includes('\u202e'), 'the line stays as it is read');
      checkPage(page);
    }
    assert.ok(third.text.includes('&lt;script&gt;alert(1)&lt;/script&gt;'), 'it is shown as what it is');
    const { policy } = checkPage(third);
    assert.match(policy, /form-action 'self' https:\/\/app\.example;/);
  });

  test("cannot register metadata that is too large, or addresses that are not an application's", async () => {
    await using server = await start();
    const good = { redirect_uris: ['https://app.example/cb'] };
    const bad: [unknown, number][] = [
      [{ ...good, client_name: 'x'.repeat(17 * 1024) }, 413],
      [{ ...good, client_name: 'x'.repeat(3000) }, 400],
      [{ redirect_uris: Array.from({ length: 21 }, (_, i) => `https://app.example/${i}`) }, 400],
      [{}, 400],
      [{ redirect_uris: [] }, 400],
      [{ redirect_uris: 'https://app.example/cb' }, 400],
      [{ redirect_uris: [7] }, 400],
      [{ redirect_uris: ['http://app.example/cb'] }, 400],
      [{ redirect_uris: ['https://localhost/cb'] }, 400],
      [{ redirect_uris: ['https://app.example/cb#x'] }, 400],
      [{ redirect_uris: ['https://user@app.example/cb'] }, 400],
      [{ redirect_uris: ['javascript:alert(1)'] }, 400],
      [{ redirect_uris: ['https://app.example/cb\r\nset-cookie: a=b'] }, 400],
      [{ redirect_uris: ['https://app.example/cb\r\n'] }, 400],
      [{ redirect_uris: ['http://127.0.0.1/c\tb'] }, 400],
      [{ redirect_uris: ['com.example.app:/c b'] }, 400],
      [{ redirect_uris: ['data:text/html,x'] }, 400],
      [{ redirect_uris: ['file:///etc/passwd'] }, 400],
      [{ redirect_uris: ['vbscript:x', 'https://app.example/cb'] }, 400],
      [{ ...good, grant_types: ['password'] }, 400],
      [{ ...good, grant_types: ['client_credentials'], response_types: [] }, 400],
      [{ ...good, response_types: ['token'] }, 400],
      [{ ...good, token_endpoint_auth_method: 'tls_client_auth' }, 400],
      [{ ...good, logo_uri: 'javascript:alert(1)' }, 400],
      [{ ...good, client_name: { x: 1 } }, 400],
      ['[]', 400],
      ['"x"', 400],
      ['null', 400],
      ['{', 400],
      ['', 400],
    ];
    for (const [metadata, status] of bad) {
      const answer = await register(server, metadata);
      assert.equal(answer.status, status, `${JSON.stringify(metadata).slice(0, 80)}: ${JSON.stringify(answer.body)}`);
    }
    const chosen = await register(server, { ...good, client_id: 'mine', client_secret: 'mine', __proto__: { x: 1 } });
    assert.equal(chosen.status, 201);
    assert.notEqual(chosen.body.client_id, 'mine');
    assert.notEqual(chosen.body.client_secret, 'mine');
    assert.equal((await post(server, 'register', 'redirect_uris=x', 'application/x-www-form-urlencoded')).status, 400);
  });

  test('cannot make the server fetch an address by registering it', async () => {
    await using server = await startServer({ open, config, web: { get: () => assert.fail('something was fetched') } });
    const urls = ['sector_identifier_uri', 'jwks_uri', 'initiate_login_uri', 'logo_uri', 'policy_uri', 'tos_uri'];
    const metadata = Object.fromEntries(urls.map((name) => [name, 'https://evil.example/x']));
    const app = await OAuthApp.register(server, metadata as never);
    await server.alice.post('/vaults', { name: 'Home' });
    await app.connect();
  });

  test('cannot use a code, token or client that belongs to another application', async () => {
    await using server = await start();
    await server.alice.post('/vaults', { name: 'Home' });
    const [app, thief] = [await OAuthApp.register(server), await OAuthApp.register(server)];
    const request = await app.ask();
    const back = await app.allowed(request);
    assert.equal(await oauthErrorOf(thief.exchange(request, back)), 'invalid_grant');
    const pair = await app.exchange(request, back);
    assert.equal(await oauthErrorOf(thief.refresh(pair.refresh_token)), 'invalid_grant');
    assert.equal((await server.bearer(pair.access_token).get('/me')).status, 200, 'and ends nothing by trying');
    for (const token of [pair.refresh_token, back.searchParams.get('code'), app.client.client_id]) {
      assert.equal((await server.bearer(token ?? '').get('/me')).status, 401, 'only an access token opens doors');
    }
    assert.equal(await oauthErrorOf(app.refresh(pair.access_token)), 'invalid_grant');
  });

  test('that registers without end displaces only clients that nobody authorized', async () => {
    await using server = await startServer({ open, config });
    await server.alice.post('/vaults', { name: 'Home' });
    const used = await OAuthApp.register(server);
    const pair = await used.connect();
    const oldest = await OAuthApp.register(server);
    await using raw = await rawOf(server.db);
    const now = server.clock.now();
    for (let i = 1; i < 5_000; i++) {
      const hash = createHash('sha256').update(`flood ${i}`).digest();
      await raw.run('insert into oauth_clients values ($1, $2, $3, null)', hash, Buffer.of(1), now + i);
    }
    const count = async () => Number((await raw.all('select count(*) as n from oauth_clients'))[0]?.n);
    assert.equal(await count(), 5_001);
    server.clock.advance({ minutes: 1 });
    for (let i = 0; i < 3; i++) await OAuthApp.register(server);
    assert.equal(await count(), 5_001);
    assert.equal((await asked(oldest, {})).status, 400, 'the oldest had to go');
    assert.equal(typeof (await used.refresh(pair.refresh_token)).access_token, 'string');
    server.clock.advance({ days: 1, minutes: 1 });
    await server.app.oauth.sweep();
    assert.equal(await count(), 1);
    server.clock.advance({ days: 180 });
    await server.app.oauth.sweep();
    assert.equal(await count(), 0);
  });
});

onEachEngine('a hostile page or visitor', (open) => {
  const start = oneServer(() => ({ open, config }));

  test('cannot decide for somebody else: not without their cookie, their form, or from another site', async () => {
    await using server = await start();
    await server.alice.post('/vaults', { name: 'Home' });
    const app = await OAuthApp.register(server);
    const browser = new Browser(server);
    const page = await signedIn(browser, (await app.ask()).url, server.alice);
    const fields: Record<string, string> = { ...fieldsOf(page.text), step: 'allow' };

    const stranger = await new Browser(server).send(page, fields);
    assert.deepEqual([stranger.status, stranger.headers.get('location')], [400, null]);
    assert.match(stranger.text, /authorization_over/);
    const other = new Browser(server);
    const theirs = await signedIn(other, (await app.ask()).url, server.bob);
    const crossed = await other.open(page.url);
    assert.equal(crossed.status, 400, 'a cookie is for one request');
    for (const token of [fieldsOf(theirs.text).token ?? '', '', 'x', `${fields.token}A`]) {
      const forged = await browser.send(page, { ...fields, token });
      assert.equal(forged.status, 403, token);
    }
    for (const origin of ['https://evil.example', 'null', 'http://notes.example', `${ISSUER}.evil.example`]) {
      assert.equal((await browser.send(page, fields, { origin })).status, 403, origin);
    }
    for (const type of ['text/plain', 'application/json', 'multipart/form-data; boundary=x']) {
      assert.equal((await browser.send(page, fields, { 'content-type': type })).status, 415, type);
    }
    const resumed = await browser.open(page.url.replace('/interaction/', '/authorize/'));
    assert.deepEqual([resumed.status, resumed.headers.get('location')], [400, null], 'signed in is not decided');
    assert.deepEqual((await server.alice.get('/connections')).body, []);
  });

  test('decides once, however often and concurrently the button is pressed', async () => {
    await using server = await start();
    await server.alice.post('/vaults', { name: 'Home' });
    const app = await OAuthApp.register(server);
    const browser = new Browser(server);
    const page = await signedIn(browser, (await app.ask()).url, server.alice);
    const fields: Record<string, string> = { ...fieldsOf(page.text), step: 'allow' };
    const met = await Promise.all([1, 2, 3].map(() => browser.send(page, fields)));
    assert.ok(met.filter(({ url }) => url.startsWith('https://app.example/')).length <= 1);
    assert.equal((await server.alice.get('/connections')).body.length, 1);
    assert.equal((await browser.send(page, fields)).status, 400);
    assert.equal((await browser.send(page, { ...fields, step: 'deny' })).status, 400);
  });

  test('cannot choose vaults of others, unknown levels, or nothing', async () => {
    await using server = await start();
    const bobs = (await server.bob.post('/vaults', { name: 'Bob’s' })).body.vault.id;
    const mine = (await server.alice.post('/vaults', { name: 'Home' })).body.vault.id;
    const app = await OAuthApp.register(server);
    const browser = new Browser(server);
    const page = await signedIn(browser, (await app.ask()).url, server.alice);
    const none = { [`vault:${mine}`]: 'none', elsewhere: 'none' };
    const wrong = [none, { [`vault:${bobs}`]: 'read' }, { [`vault:${mine}`]: 'admin' }, { 'vault:x': 'read' }];
    for (const values of [...wrong, { elsewhere: 'all', [`vault:${mine}`]: 'none' }]) {
      const again = await browser.submit(page, 'allow', values);
      assert.deepEqual([again.status, again.url], [422, page.url], JSON.stringify(values));
      assert.match(again.text, /role="alert"/);
      assert.ok(!again.text.includes(bobs));
    }
    assert.match((await browser.submit(page, 'allow')).url, /code=/);
  });

  test('learns nothing about accounts by signing in here, and is throttled as elsewhere', async () => {
    await using server = await start();
    await server.alice.signed();
    const app = await OAuthApp.register(server);
    const browser = new Browser(server);
    const page = await browser.open((await app.ask()).url);
    const answers: string[] = [];
    for (const email of [server.alice.email, 'nobody@example.org']) {
      const { status, text } = await browser.submit(page, 'sign-in', { email, password: 'a wrong one' });
      assert.equal(status, 401);
      answers.push(text.replaceAll(email, ''));
    }
    assert.equal(answers[0], answers[1]);
    let last = 0;
    for (let i = 0; i < 10 && last !== 429; i++) {
      last = (await browser.submit(page, 'sign-in', { email: server.alice.email, password: 'wrong' })).status;
    }
    assert.equal(last, 429);
  });

  test('cannot make the server use another address than its own', async () => {
    await using server = await start();
    const app = await OAuthApp.register(server);
    const { url } = await app.ask();
    const forged = { host: 'evil.example', 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'http' };
    const target = server.url + url.slice(ISSUER.length);
    const answer = await fetch(target, { redirect: 'manual', headers: { ...forged, forwarded: 'host=evil.example' } });
    assert.equal(answer.status, 303);
    const said = [...answer.headers].map(([name, value]) => `${name}: ${value}`).join('\n') + (await answer.text());
    assert.ok(!said.includes('evil.example'), said);
    const cookies = answer.headers.getSetCookie();
    assert.ok(cookies.length >= 2);
    for (const cookie of cookies) assert.match(cookie, /; secure; httponly/i);
    for (const cookie of cookies) assert.match(cookie, /; samesite=lax/i);
  });

  test('is limited by address at each of the endpoints', async () => {
    await using server = await startServer({ open, config: { ...config, authRateLimit: 3 } });
    const paths = ['token', 'register', 'revoke'].map((path) => [path, 'POST'] as const);
    for (const [path, method] of [...paths, ['authorize', 'GET'] as const, ['interaction/x', 'GET'] as const]) {
      const statuses: number[] = [];
      for (let i = 0; i < 4; i++) statuses.push((await fetch(`${server.url}/oauth/${path}`, { method })).status);
      assert.deepEqual(
        statuses.map((status) => status === 429),
        [false, false, false, true],
        path,
      );
    }
    assert.equal((await fetch(`${server.url}/.well-known/oauth-authorization-server`)).status, 200);
  });

  test('gets errors for other methods, paths and bodies', async () => {
    await using server = await start();
    const status = async (path: string, init: RequestInit = {}) => (await fetch(server.url + path, init)).status;
    assert.equal(await status('/oauth/token', { method: 'PUT' }), 405);
    assert.equal(await status('/oauth/authorize', { method: 'POST' }), 405);
    for (const path of [
      '/oauth',
      '/oauth/request',
      '/oauth/device',
      '/oauth/me',
      '/auth',
      '/token',
      '/session/end',
      '/jwks',
    ]) {
      assert.equal(await status(path), 404, path);
    }
    const large = { method: 'POST', body: 'x'.repeat(17 * 1024) };
    assert.equal(
      await status('/oauth/token', { ...large, headers: { 'content-type': 'application/x-www-form-urlencoded' } }),
      413,
    );
    const json = { method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } };
    assert.equal(await status('/oauth/token', json), 400);
  });
});

/** Checks that the page cannot be framed, runs no script and loads nothing. */
function checkPage({ headers, url, text }: Met): { policy: string } {
  const policy = headers.get('content-security-policy') ?? '';
  assert.match(policy, /^default-src 'none'; style-src 'sha256-[\w+/=]{44}'; form-action 'self'/, url);
  assert.match(policy, /; base-uri 'none'; frame-ancestors 'none'$/);
  assert.ok(!/script-src|unsafe|\*/.test(policy));
  assert.equal(headers.get('x-frame-options'), 'DENY');
  assert.equal(headers.get('cache-control'), 'no-store');
  assert.equal(headers.get('x-content-type-options'), 'nosniff');
  const style = /<style>(.*?)<\/style>/s.exec(text)?.[1] ?? '';
  assert.ok(policy.includes(createHash('sha256').update(style).digest('base64')), 'the style is the one allowed');
  assert.ok(!/<[^>]*\b(?:src|href)=/.test(text), 'nothing is loaded');
  for (const [, id = ''] of text.matchAll(/<(?:input|select) [^>]*\bid="([^"]+)"/g)) {
    assert.ok(text.includes(`<label for="${id}">`), `${id} has a label`);
  }
  return { policy };
}
