import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Browser, ISSUER, signedIn, startIssuer } from '../../../../test/kit/clients/oauth.ts';
import { OAuthApp, statusOf, vaultOf } from '../../../../test/kit/clients/oauth-app.ts';
import { interruptible } from '../../../../test/kit/database/interruptible-database.ts';
import { onSqlite } from '../../../../test/kit/engines.ts';
import { setUpTotp } from '../../../../test/kit/totp.ts';

// biome-ignore lint/suspicious/noExplicitAny: a test says what it expects by asserting, field by field.
const jsonOf = async (answer: Response): Promise<any> => answer.json();

onSqlite('the OAuth metadata and endpoints', (open) => {
  test('the consent page asks for the second factor of an account that has one', async () => {
    await using server = await startIssuer({ open });
    const vault = await vaultOf(server.alice);
    const app = await setUpTotp(server.alice, server.clock);
    const { url } = await (await OAuthApp.register(server)).ask();
    const browser = new Browser(server);
    const asked = await signedIn(browser, url, server.alice);
    assert.ok(!asked.text.includes(vault));
    const unproved = await browser.submit(asked, 'allow');
    assert.equal(unproved.status, 400, 'a password alone decides nothing');
    const wrong = await browser.submit(asked, 'code', { second_factor: app.wrong() });
    assert.deepEqual([wrong.status, /role="alert">This code is wrong/.test(wrong.text)], [403, true]);
    const choice = await browser.submit(wrong, 'code', { second_factor: app.recoveryCodes[0] ?? '' });
    assert.ok(choice.text.includes(`vault:${vault}`));
  });

  test('are found by clients of any origin, whatever host name they use', async () => {
    await using server = await startIssuer({ open });
    const get = (path: string, headers: Record<string, string> = {}) => fetch(server.url + path, { headers });
    const own = { host: 'evil.example', 'x-forwarded-host': 'evil.example', origin: 'https://elsewhere.example' };
    const found = await get('/.well-known/oauth-authorization-server', own);
    assert.equal(found.headers.get('access-control-allow-origin'), '*');
    const issued = await jsonOf(found);
    assert.equal(issued.issuer, ISSUER);
    assert.deepEqual(issued.code_challenge_methods_supported, ['S256']);
    assert.deepEqual(issued.scopes_supported, ['mcp', 'mcp:read', 'offline_access']);
    assert.equal(issued.client_id_metadata_document_supported, true);
    for (const [what, path] of Object.entries({
      authorization: 'authorize',
      token: 'token',
      registration: 'register',
    })) {
      assert.equal(issued[`${what}_endpoint`], `${ISSUER}/oauth/${path}`);
    }
    assert.equal(issued.revocation_endpoint, `${ISSUER}/oauth/revoke`);
    // This server signs no one in for others: it is no OpenID provider.
    assert.equal((await get('/.well-known/openid-configuration', own)).status, 404);
    for (const [path, resource] of [['', ISSUER] as const, ['/api/mcp', `${ISSUER}/api/mcp`] as const]) {
      const document = await jsonOf(await get(`/.well-known/oauth-protected-resource${path}`, own));
      assert.deepEqual(document, {
        resource,
        resource_name: 'Notevault',
        authorization_servers: [ISSUER],
        scopes_supported: ['mcp', 'mcp:read'],
        bearer_methods_supported: ['header'],
      });
    }
    const refused = await server.anyone.get('/me');
    const metadata = `${ISSUER}/.well-known/oauth-protected-resource/api/mcp`;
    assert.equal(refused.headers.get('www-authenticate'), `Bearer resource_metadata="${metadata}"`);
    const { keys } = await jsonOf(await get('/oauth/jwks'));
    assert.deepEqual([keys.length, keys[0].d], [1, undefined]);
  });

  test('answer pages of any origin for token, register and revoke, but not for what a browser shows', async () => {
    await using server = await startIssuer({ open });
    for (const path of ['token', 'register', 'revoke']) {
      const origin = 'https://elsewhere.example';
      const ask = { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': 'content-type' };
      const preflight = await fetch(`${server.url}/oauth/${path}`, { method: 'OPTIONS', headers: ask });
      assert.deepEqual([preflight.status, preflight.headers.get('access-control-allow-origin')], [204, '*'], path);
      assert.match(preflight.headers.get('access-control-allow-headers') ?? '', /content-type/);
      const answer = await fetch(`${server.url}/oauth/${path}`, { method: 'POST', headers: { origin } });
      assert.ok(answer.status >= 400 && answer.status < 500);
      assert.equal(answer.headers.get('access-control-allow-origin'), '*', path);
    }
    const page = await fetch(`${server.url}/oauth/authorize`, { headers: { origin: 'https://elsewhere.example' } });
    assert.equal(page.headers.get('access-control-allow-origin'), null);
    const wrong = await fetch(`${server.url}/oauth/token`);
    assert.deepEqual([wrong.status, wrong.headers.get('allow')], [405, 'POST']);
  });

  test('requests of the OAuth metadata answer 503 at once while the database is down', async () => {
    const db = interruptible(await open());
    await using server = await startIssuer({ open: async () => db });
    const ask = async () => {
      const body = new URLSearchParams({ grant_type: 'refresh_token', refresh_token: 'x', client_id: 'y' });
      const signal = AbortSignal.timeout(20_000);
      const answer = await fetch(`${server.url}/oauth/token`, { method: 'POST', body, signal });
      return [answer.status, (await jsonOf(answer)).error, answer.headers.get('retry-after')];
    };
    db.away = true;
    assert.deepEqual(await ask(), [503, 'temporarily_unavailable', '1']);
    db.away = false;
    assert.deepEqual(await ask(), [401, 'invalid_client', null]);
    db.away = true;
    assert.deepEqual(await ask(), [503, 'temporarily_unavailable', '1']);
    db.away = false;
  });

  test('all answer 503 while the database is down, and recover', async () => {
    const db = interruptible(await open());
    await using server = await startIssuer({ open: async () => db });
    await vaultOf(server.alice);
    const app = await OAuthApp.register(server);
    const pair = await app.connect();
    const browser = new Browser(server);
    const { url } = await app.ask();
    const page = await signedIn(browser, url, server.alice);
    const post = (path: string, body: Record<string, string> | string) => {
      const json = { 'content-type': 'application/json' };
      const init = typeof body === 'string' ? { body, headers: json } : { body: new URLSearchParams(body) };
      return fetch(server.url + path, { method: 'POST', ...init });
    };
    const { client_id } = app.client;
    const token = { client_id, refresh_token: pair.refresh_token ?? '', grant_type: 'refresh_token' };
    const registration = JSON.stringify({ redirect_uris: ['https://app.example/cb'] });

    db.away = true;
    for (const answer of [
      await post('/oauth/token', token),
      await post('/oauth/token', { client_id, grant_type: 'authorization_code', code: 'x', redirect_uri: 'y' }),
      await post('/oauth/register', registration),
      await post('/oauth/revoke', { client_id, token: pair.access_token }),
    ]) {
      const body = await jsonOf(answer);
      const about = `${answer.url} ${JSON.stringify(body)}`;
      assert.deepEqual([answer.status, body.error], [503, 'temporarily_unavailable'], about);
      assert.match(answer.headers.get('retry-after') ?? '', /^[1-9]\d*$/, about);
      assert.match(answer.headers.get('x-request-id') ?? '', /^[\w-]{36}$/, about);
    }
    const fields = { code: 'ABCD-EFGH', email: server.alice.email, password: server.alice.password, step: 'sign-in' };
    for (const { status, headers, text } of [
      await new Browser(server).open(url),
      await browser.open(page.url),
      await browser.submit(page, 'allow'),
      await browser.send({ ...page, url: `${ISSUER}/link` }, fields),
    ]) {
      assert.equal(status, 503, text);
      assert.match(headers.get('retry-after') ?? '', /^[1-9]\d*$/);
      assert.match(text, /unavailable/);
    }
    db.away = false;

    const refreshed = await app.refresh(pair.refresh_token);
    assert.equal(await statusOf(server, refreshed), 200);
    assert.equal((await browser.open(page.url)).status, 200);
  });
});

onSqlite('OAuth over several processes', (open) => {
  test('shares a flow that is started at one, decided at another, and finished at a third, newly started one', async () => {
    const db = await open();
    await using one = await startIssuer({ open: async () => db });
    const same = { clock: one.clock, masterKey: one.masterKey, open: async () => db };
    await using two = await startIssuer(same);
    await vaultOf(one.alice);
    const app = await OAuthApp.register(one);
    const request = await app.ask();
    // A browser whose requests alternate between the processes.
    let turn = 0;
    const inTurn = {
      publicUrl: ISSUER,
      get url() {
        turn += 1;
        return turn % 2 === 0 ? one.url : two.url;
      },
    };
    const browser = new Browser(inTurn);
    const met = await browser.submit(await signedIn(browser, request.url, one.alice), 'allow');
    await using three = await startIssuer(same);
    const late = new OAuthApp(three, app.as, app.client, app.auth);
    const pair = await late.exchange(request, new URL(met.url));
    for (const server of [one, two, three]) assert.equal(await statusOf(server, pair), 200);
    const keys = await Promise.all([one, two, three].map(async ({ url }) => (await fetch(`${url}/oauth/jwks`)).text()));
    assert.equal(new Set(keys).size, 1);
  });
});
