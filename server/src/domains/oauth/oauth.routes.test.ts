import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { VaultId } from '@notevault/protocol/ids.ts';
import { onSqlite, rawOf } from '../../../test/kit/engines.ts';
import { interruptible } from '../../../test/kit/interruptible-database.ts';
import { Browser, fieldsOf, signedIn } from '../../../test/kit/oauth.ts';
import { OAuthApp, oauthErrorOf, type Pair } from '../../../test/kit/oauth-app.ts';
import type { Caller } from '../../../test/kit/person.ts';
import { startServer, type TestServer, type TestServerOptions } from '../../../test/kit/server.ts';

const ISSUER = 'https://notes.example';
const start = (options: TestServerOptions) =>
  startServer({ ...options, config: { publicUrl: ISSUER, ...options.config } });

const vaultOf = async (person: Caller, name = 'Home'): Promise<string> =>
  (await person.post('/vaults', { name })).body.vault.id;
const statusWith = async (server: TestServer, { access_token }: Pair) =>
  (await server.bearer(access_token).get('/me')).status;
// biome-ignore lint/suspicious/noExplicitAny: a test says what it expects by asserting, field by field.
const jsonOf = async (answer: Response): Promise<any> => answer.json();
const note = (path = 'A.md') => ({ path, content: 'text', mtime: 1 });

onSqlite('the OAuth metadata and endpoints', (open) => {
  test('are found by clients of any origin, whatever host name they use', async () => {
    await using server = await start({ open });
    const get = (path: string, headers: Record<string, string> = {}) => fetch(server.url + path, { headers });
    const own = { host: 'evil.example', 'x-forwarded-host': 'evil.example', origin: 'https://elsewhere.example' };
    for (const name of ['oauth-authorization-server', 'openid-configuration']) {
      const answer = await get(`/.well-known/${name}`, own);
      assert.equal(answer.headers.get('access-control-allow-origin'), '*');
      const document = await jsonOf(answer);
      assert.equal(document.issuer, ISSUER);
      assert.deepEqual(document.code_challenge_methods_supported, ['S256']);
      assert.deepEqual(document.scopes_supported, ['mcp', 'mcp:read', 'offline_access']);
      assert.equal(document.client_id_metadata_document_supported, true);
      for (const [what, path] of Object.entries({
        authorization: 'authorize',
        token: 'token',
        registration: 'register',
      })) {
        assert.equal(document[`${what}_endpoint`], `${ISSUER}/oauth/${path}`);
      }
      assert.equal(document.revocation_endpoint, `${ISSUER}/oauth/revoke`);
    }
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
    await using server = await start({ open });
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

  test('of the metadata answer 503 at once while the database is down, before and after the provider was opened', async () => {
    const db = interruptible(await open());
    await using server = await start({ open: async () => db });
    const ask = async () => {
      const body = new URLSearchParams({ grant_type: 'refresh_token', refresh_token: 'x', client_id: 'y' });
      const signal = AbortSignal.timeout(5000);
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
    await using server = await start({ open: async () => db });
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
    assert.equal(await statusWith(server, refreshed), 200);
    assert.equal((await browser.open(page.url)).status, 200);
  });
});

onSqlite('an OAuth application', (open) => {
  test('registers, is authorized for chosen vaults, and is listed with its details', async () => {
    await using server = await start({ open });
    const [home, other] = [await vaultOf(server.alice), await vaultOf(server.alice, 'Other')];
    const app = await OAuthApp.register(server, {
      client_name: 'Reading Room',
      logo_uri: 'https://app.example/logo.png',
      software_id: 'reader',
      software_version: '1.2',
      redirect_uris: ['https://app.example/a', 'https://app.example/b'],
    });
    const redirectUri = 'https://app.example/b';
    const pair = await app.connect({ redirectUri }, server.alice, { levels: { [home]: 'write' } });
    const { access_token, refresh_token, ...said } = pair;
    assert.deepEqual(said, { token_type: 'bearer', expires_in: 900, scope: 'mcp' });
    assert.match(access_token, /^nv_oat_[\w-]{43}$/);
    assert.match(refresh_token ?? '', /^nv_oar_[\w-]{22}\.[\w-]{43}$/);

    const caller = server.bearer(access_token);
    assert.equal((await caller.post('/notes', note())).status, 200);
    assert.equal((await caller.post('/notes', note(), { 'x-vault-id': other })).status, 403);
    assert.deepEqual(
      (await caller.get('/vaults')).body.vaults.map(({ id }: { id: string }) => id),
      [home],
    );
    assert.equal((await caller.post('/vaults', { name: 'New' })).body.error, 'insufficient_access');
    assert.equal((await caller.get('/connections')).body.error, 'api_key_not_allowed');
    const [version] = await versionsOf(server.alice, home);
    assert.deepEqual(version?.actor, { kind: 'oauth', name: 'Reading Room' });

    assert.deepEqual((await server.alice.get('/connections')).body, [
      {
        kind: 'oauth',
        client_id: app.client.client_id,
        key_id: null,
        name: 'Reading Room',
        scope: 'mcp',
        slug: 'reading-room',
        logo: 'https://app.example/logo.png',
        software_id: 'reader',
        software_version: '1.2',
        connected_at: '2026-01-15T12:00:00.000Z',
        last_used_at: '2026-01-15T12:00:00.000Z',
        first_ip: '127.0.0.1',
        first_user_agent: 'node',
        vault_id: home,
        vault_name: 'Home',
        verified: false,
        redirect_uri: redirectUri,
        redirect_uris: ['https://app.example/a', 'https://app.example/b'],
        cimd_url: null,
      },
    ]);
    assert.deepEqual((await server.bob.get('/connections')).body, []);
  });

  test('may have a secret, in the header or in the body, and must then present it', async () => {
    await using server = await start({ open });
    await vaultOf(server.alice);
    for (const method of ['client_secret_basic', 'client_secret_post']) {
      const app = await OAuthApp.register(server, { token_endpoint_auth_method: method });
      const pair = await app.connect();
      assert.equal(await statusWith(server, await app.refresh(pair.refresh_token)), 200, method);
      const { None } = await import('oauth4webapi');
      const thief = new OAuthApp(server, app.as, app.client, None());
      assert.equal(await oauthErrorOf(thief.refresh(pair.refresh_token)), 'invalid_client');
    }
  });

  test('gets at most what its scope allows, and access to later vaults as the person chose', async () => {
    await using server = await start({ open });
    const home = await vaultOf(server.alice);
    const app = await OAuthApp.register(server);
    const request = await app.ask({ scope: 'mcp:read' });
    const page = await signedIn(new Browser(server), request.url, server.alice);
    assert.ok(!page.text.includes('value="write"'), 'nothing more is offered');
    assert.equal(fieldsOf(page.text)[`vault:${home}`], 'read');
    const reader = await app.connect({ scope: 'mcp:read' }, server.alice, { levels: { [home]: 'write' } });
    assert.equal((await server.bearer(reader.access_token).get('/notes/A.md')).status, 404);
    const refused = await server.bearer(reader.access_token).post('/notes', note());
    assert.deepEqual([refused.status, refused.body.error], [403, 'insufficient_access']);

    const wide = await app.connect({}, server.alice, { levels: { [home]: 'none' }, elsewhere: 'write' });
    const caller = server.bearer(wide.access_token);
    const made = await caller.post('/vaults', { name: 'By the app' });
    assert.equal(made.status, 201);
    assert.deepEqual((await caller.get('/vaults')).body.vaults.length, 1);
    assert.equal((await caller.get('/notes/A.md', { 'x-vault-id': home })).status, 403);
  });

  test('gets the scope it requests, the one it registered, or mcp; and refresh tokens if it may refresh', async () => {
    await using server = await start({ open });
    await vaultOf(server.alice);
    const app = await OAuthApp.register(server);
    const scopes = [
      [null, 'mcp'],
      ['', 'mcp'],
      ['unknown words', 'mcp'],
      ['mcp:read', 'mcp:read'],
      ['mcp mcp:read', 'mcp mcp:read'],
    ];
    for (const [scope, given] of [...scopes, ['offline_access', 'mcp'], ['mcp:read other', 'mcp:read']] as [
      string,
      string,
    ][]) {
      const pair = await app.connect({ scope });
      assert.deepEqual([pair.scope, typeof pair.refresh_token], [given, 'string'], scope);
    }
    const narrow = await OAuthApp.register(server, { scope: 'mcp:read unknown' });
    assert.equal((await narrow.connect({ scope: null })).scope, 'mcp:read');
    const wide = await new Browser(server).open((await narrow.ask({ scope: 'mcp' })).url);
    assert.equal(new URL(wide.url).searchParams.get('error'), 'invalid_scope');
    const once = await OAuthApp.register(server, { grant_types: ['authorization_code'] });
    assert.equal((await once.connect({ scope: 'mcp offline_access' })).refresh_token, undefined);
  });

  test('may name this server as the resource, or none, but no other', async () => {
    await using server = await start({ open });
    await vaultOf(server.alice);
    const app = await OAuthApp.register(server);
    const all = [ISSUER, `${ISSUER}/`, `${ISSUER}/api/mcp`, [ISSUER, `${ISSUER}/api/mcp`]];
    for (const resource of all) {
      const pair = await app.connect({ resource });
      assert.equal(pair.scope, 'mcp');
      assert.equal((await server.bearer(pair.access_token).post('/notes', note())).status, 200);
      const next = await app.refresh(pair.refresh_token, { resource: [resource].flat()[0] ?? '' });
      assert.equal(await statusWith(server, next), 200);
      assert.equal(
        await oauthErrorOf(app.refresh(next.refresh_token, { resource: 'https://other.example' })),
        'invalid_target',
      );
    }
    const request = await app.ask({ resource: 'https://other.example/api/mcp' });
    const met = await new Browser(server).open(request.url);
    assert.equal(new URL(met.url).searchParams.get('error'), 'invalid_target');
  });

  test('on the user’s machine may use any port, and its own scheme', async () => {
    await using server = await start({ open });
    await vaultOf(server.alice);
    const loopbacks = ['http://127.0.0.1/cb', 'http://[::1]/cb', 'http://localhost:1234/cb'];
    const app = await OAuthApp.register(server, { redirect_uris: [...loopbacks, 'com.example.app:/cb'] });
    for (const redirectUri of [
      'http://127.0.0.1:5555/cb',
      'http://[::1]:6666/cb',
      'http://localhost/cb',
      'com.example.app:/cb',
    ]) {
      assert.equal(await statusWith(server, await app.connect({ redirectUri })), 200, redirectUri);
    }
    const [row] = (await server.alice.get('/connections')).body;
    assert.deepEqual([row.redirect_uri, row.verified], ['http://127.0.0.1:5555/cb', false]);
  });

  test('is verified by the redirect on the operator’s list, not by another one it has', async () => {
    const listed = 'https://app.example/callback';
    await using server = await start({ open, config: { oauthVerifiedRedirects: [listed] } });
    await vaultOf(server.alice);
    const app = await OAuthApp.register(server, { redirect_uris: [listed, 'https://evil.example/callback'] });
    await app.connect({ redirectUri: listed });
    await app.connect({ redirectUri: 'https://evil.example/callback' });
    const rows = (await server.alice.get('/connections')).body;
    assert.deepEqual(
      rows.map(({ verified }: { verified: boolean }) => verified),
      [true, false],
    );
    const page = await signedIn(new Browser(server), (await app.ask({ redirectUri: listed })).url, server.alice);
    assert.match(page.text, /<strong>app\.example<\/strong>, verified/);
  });

  test('can be refused by the person', async () => {
    await using server = await start({ open });
    const app = await OAuthApp.register(server);
    const { url } = await app.ask();
    const browser = new Browser(server);
    const met = await browser.submit(await signedIn(browser, url, server.alice), 'deny');
    const back = new URL(met.url);
    assert.deepEqual([back.origin, back.searchParams.get('error')], ['https://app.example', 'access_denied']);
    assert.deepEqual([back.searchParams.get('state'), back.searchParams.get('iss')], ['the state', ISSUER]);
    const unsigned = new Browser(server);
    const early = await unsigned.submit(await unsigned.open((await app.ask()).url), 'deny');
    assert.match(early.url, /error=access_denied/);
    assert.deepEqual((await server.alice.get('/connections')).body, []);
  });
});

onSqlite('tokens of an OAuth application', (open) => {
  test('need a code that lasts a minute and is used once; a second use revokes everything', async () => {
    await using server = await start({ open });
    await vaultOf(server.alice);
    const app = await OAuthApp.register(server);
    const late = await app.ask();
    const lateBack = await app.allowed(late);
    server.clock.advance({ seconds: 60 });
    assert.equal(await oauthErrorOf(app.exchange(late, lateBack)), 'invalid_grant');
    const request = await app.ask();
    const back = await app.allowed(request);
    server.clock.advance({ seconds: 60, ms: -1 });
    const pair = await app.exchange(request, back);
    assert.equal(await statusWith(server, pair), 200);
    assert.equal(await oauthErrorOf(app.exchange(request, back)), 'invalid_grant');
    assert.equal(await statusWith(server, pair), 401);
    assert.equal(await oauthErrorOf(app.refresh(pair.refresh_token)), 'invalid_grant');
  });

  test('are issued to one of five exchanges of one code at once, and then revoked', async () => {
    await using server = await start({ open });
    await vaultOf(server.alice);
    const app = await OAuthApp.register(server);
    const request = await app.ask();
    const back = await app.allowed(request);
    const five = await Promise.allSettled(Array.from({ length: 5 }, () => app.exchange(request, back)));
    const pairs = five.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
    assert.ok(pairs.length <= 1);
    for (const pair of pairs) assert.equal(await statusWith(server, pair), 401);
  });

  test('are refreshed; the previous one is accepted for thirty seconds, and later reuse ends the family', async () => {
    await using server = await start({ open });
    await vaultOf(server.alice);
    const app = await OAuthApp.register(server);
    const other = await app.connect();
    const first = await app.connect();
    const second = await app.refresh(first.refresh_token);
    assert.notEqual(second.refresh_token, first.refresh_token);
    server.clock.advance({ seconds: 30 });
    const again = await app.refresh(first.refresh_token);
    for (const pair of [first, second, again]) assert.equal(await statusWith(server, pair), 200);
    server.clock.advance({ ms: 1 });
    assert.equal(await oauthErrorOf(app.refresh(first.refresh_token)), 'invalid_grant');
    for (const pair of [second, again]) {
      assert.equal(await statusWith(server, pair), 401);
      assert.equal(await oauthErrorOf(app.refresh(pair.refresh_token)), 'invalid_grant');
    }
    assert.equal(await statusWith(server, other), 200, 'another sign-in goes on');
  });

  test('end with their family on reuse of a token no longer stored; made-up ones end nothing', async () => {
    await using server = await start({ open });
    await vaultOf(server.alice);
    const app = await OAuthApp.register(server);
    const first = await app.connect();
    let last = first;
    for (let i = 0; i < 3; i++) {
      server.clock.advance({ minutes: 10 });
      last = await app.refresh(last.refresh_token);
    }
    for (const token of ['nv_oar_AAAAAAAAAAAAAAAAAAAAAA.x', 'x', last.access_token]) {
      assert.equal(await oauthErrorOf(app.refresh(token)), 'invalid_grant');
    }
    assert.equal(await statusWith(server, last), 200);
    assert.equal(await oauthErrorOf(app.refresh(first.refresh_token)), 'invalid_grant');
    assert.equal(await statusWith(server, last), 401);
  });

  test('are valid for fifteen minutes, and for ninety days after the last refresh', async () => {
    await using server = await start({ open });
    await vaultOf(server.alice);
    const app = await OAuthApp.register(server);
    let pair = await app.connect();
    server.clock.advance({ minutes: 15, ms: -1 });
    assert.equal(await statusWith(server, pair), 200);
    server.clock.advance({ ms: 1 });
    assert.equal(await statusWith(server, pair), 401);
    pair = await app.refresh(pair.refresh_token);
    for (let i = 0; i < 3; i++) {
      server.clock.advance({ days: 90, ms: -1 });
      await server.app.oauth.sweep();
      pair = await app.refresh(pair.refresh_token);
    }
    server.clock.advance({ days: 90 });
    assert.equal(await oauthErrorOf(app.refresh(pair.refresh_token)), 'invalid_grant');
    await server.app.oauth.sweep();
    await using raw = await rawOf(server.db);
    assert.deepEqual(await raw.all('select * from oauth_tokens'), []);
    const [row] = await raw.all('select details, revoked_at from oauth_grants g join connections c on c.id = g.id');
    assert.equal(row?.details, null);
    assert.notEqual(row?.revoked_at, null);
  });

  test('may get less at a refresh, never more', async () => {
    await using server = await start({ open });
    await vaultOf(server.alice);
    const app = await OAuthApp.register(server);
    const pair = await app.connect({ scope: 'mcp mcp:read' });
    const less = await app.refresh(pair.refresh_token, { scope: 'mcp:read' });
    const caller = server.bearer(less.access_token);
    assert.equal((await caller.get('/tags')).status, 200);
    assert.equal((await caller.post('/notes', note())).body.error, 'insufficient_access');
    const reader = await app.connect({ scope: 'mcp:read' });
    assert.equal(await oauthErrorOf(app.refresh(reader.refresh_token, { scope: 'mcp' })), 'invalid_scope');
  });

  test('that request no vault access at a refresh have none', async () => {
    await using server = await start({ open });
    const home = await vaultOf(server.alice);
    const app = await OAuthApp.register(server);
    const more = { prompt: 'consent' };
    const pair = await app.connect({ scope: 'mcp:read offline_access', more, resource: ISSUER });
    const nothing = await app.refresh(pair.refresh_token, { scope: 'offline_access' });
    const caller = server.bearer(nothing.access_token);
    assert.deepEqual((await caller.get('/vaults')).body.vaults, []);
    assert.equal((await caller.post('/notes', note(), { 'x-vault-id': home })).status, 403);
  });

  test('are revoked by their own client: a refresh token or an access token, with its whole family', async () => {
    await using server = await start({ open });
    await vaultOf(server.alice);
    const [app, other] = [await OAuthApp.register(server), await OAuthApp.register(server)];
    for (const which of ['refresh_token', 'access_token'] as const) {
      const pair = await app.connect();
      const token = pair[which] ?? '';
      await other.revoke(token);
      assert.equal(await statusWith(server, pair), 200, 'another client’s word does not count');
      assert.equal(await oauthErrorOf(other.refresh(pair.refresh_token)), 'invalid_grant');
      assert.equal(await statusWith(server, pair), 200);
      await app.revoke(token);
      await app.revoke(token);
      assert.equal(await statusWith(server, pair), 401);
      assert.equal(await oauthErrorOf(app.refresh(pair.refresh_token)), 'invalid_grant');
    }
    await app.revoke('no such token');
    assert.deepEqual((await server.alice.get('/connections')).body, []);
  });

  test('are revoked by their owner, all of a client at once, and by nobody else', async () => {
    await using server = await start({ open });
    await vaultOf(server.alice);
    await vaultOf(server.bob);
    const app = await OAuthApp.register(server);
    const [one, two, bobs] = [await app.connect(), await app.connect(), await app.connect({}, server.bob)];
    const path = `/connections/oauth/${app.client.client_id}`;
    for (let i = 0; i < 2; i++) {
      const { status, body } = await server.alice.delete(path);
      assert.deepEqual([status, body], [204, null]);
    }
    for (const pair of [one, two]) assert.equal(await statusWith(server, pair), 401);
    assert.equal(await statusWith(server, bobs), 200);
    assert.deepEqual((await server.alice.get('/connections')).body, []);
    const unknown = await server.alice.delete('/connections/oauth/https://nobody.example/client.json');
    assert.deepEqual([unknown.status, unknown.body], [404, { error: 'not_found' }]);
  });

  test('end with the account, and are refused while it is suspended', async () => {
    await using server = await start({ open });
    await vaultOf(server.bob);
    const app = await OAuthApp.register(server);
    const pair = await app.connect({}, server.bob);
    await server.app.accounts.setSuspended(server.bob.email, true);
    assert.equal(await statusWith(server, pair), 401);
    assert.equal(await oauthErrorOf(app.refresh(pair.refresh_token)), 'invalid_grant');
    await server.app.accounts.setSuspended(server.bob.email, false);
    assert.equal(await statusWith(server, await app.refresh(pair.refresh_token)), 200);
    const bob = await server.anyone.post('/auth/login', { email: server.bob.email, password: server.bob.password });
    await server.bearer(bob.body.access_token).delete('/me', { password: server.bob.password });
    assert.equal(await statusWith(server, pair), 401);
    assert.equal(await oauthErrorOf(app.refresh(pair.refresh_token)), 'invalid_grant');
    await using raw = await rawOf(server.db);
    for (const table of ['oauth_tokens', 'oauth_grants', 'connections']) {
      assert.deepEqual(await raw.all(`select * from ${table}`), [], table);
    }
  });

  test('are looked up by one statement, without the provider; a reduced scope stays reduced', async () => {
    await using server = await start({ open });
    const home = (await vaultOf(server.alice)) as VaultId;
    const app = await OAuthApp.register(server);
    const pair = await app.connect({ scope: 'mcp mcp:read' });
    const less = await app.refresh(pair.refresh_token, { scope: 'mcp:read' });
    const { db, app: running } = server;
    const asked: string[] = [];
    for (const name of ['all', 'get'] as const) {
      const inner = db[name].bind(db) as (...args: unknown[]) => unknown;
      Object.assign(db, {
        [name](...args: unknown[]) {
          asked.push(name);
          return inner(...args);
        },
      });
    }
    const principal = await running.credentials.authenticateToken(less.access_token);
    assert.deepEqual(asked, ['all']);
    assert.deepEqual([principal.kind, principal.scope?.vaults.get(home)], ['oauth', 'read']);
    const later = await running.credentials.recall(principal);
    assert.equal(later?.scope?.vaults.get(home), 'read');
    const wide = await running.credentials.recall(await running.credentials.authenticateToken(pair.access_token));
    assert.equal(wide?.scope?.vaults.get(home), 'write');
    await app.revoke(pair.access_token);
    assert.equal(await running.credentials.recall(principal), null);
  });

  test('that were never fetched leave no connection behind', async () => {
    await using server = await start({ open });
    await vaultOf(server.alice);
    const app = await OAuthApp.register(server);
    await app.allowed(await app.ask());
    server.clock.advance({ minutes: 10 });
    await server.app.oauth.sweep();
    assert.deepEqual((await server.alice.get('/connections')).body, []);
    const kept = await app.connect();
    server.clock.advance({ minutes: 10 });
    await server.app.oauth.sweep();
    assert.equal(await statusWith(server, kept), 200);
  });

  test('are nowhere in the database in clear, nor are names and secrets of clients', async () => {
    await using server = await start({ open });
    await vaultOf(server.alice);
    const app = await OAuthApp.register(server, {
      client_name: 'Quibblename',
      token_endpoint_auth_method: 'client_secret_post',
      software_id: 'quibblesoft',
      redirect_uris: ['https://quibble.example/cb'],
    });
    const request = await app.ask();
    const waiting = await app.ask({ more: { state: 'quibblestate' } });
    await new Browser(server).open(waiting.url);
    const back = await app.allowed(request);
    const first = await app.exchange(request, back);
    const second = await app.refresh(first.refresh_token);
    const secrets = [
      ...[first.access_token, first.refresh_token, second.access_token, second.refresh_token],
      ...[back.searchParams.get('code'), String(app.client.client_secret), request.verifier, 'quibblestate'],
      ...['quibblesoft', 'quibble.example', 'Quibblename', app.client.client_id],
    ].map((secret) => secret ?? assert.fail());
    await using raw = await rawOf(server.db);
    for (const table of await raw.tables()) {
      for (const row of await raw.all(`select * from ${table}`)) {
        for (const [column, value] of Object.entries(row)) {
          const text = Buffer.isBuffer(value) ? value.toString('latin1') : String(value);
          for (const secret of secrets) assert.ok(!text.includes(secret), `${table}.${column} holds ${secret}`);
        }
      }
    }
    assert.equal((await server.alice.get('/connections')).body[0].name, 'Quibblename');
  });
});

onSqlite('OAuth over several processes', (open) => {
  test('shares a flow that is started at one, decided at another, and finished at a third, newly started one', async () => {
    const db = await open();
    await using one = await start({ open: async () => db });
    const same = { clock: one.clock, masterKey: one.masterKey, open: async () => db };
    await using two = await start(same);
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
    await using three = await start(same);
    const late = new OAuthApp(three, app.as, app.client, app.auth);
    const pair = await late.exchange(request, new URL(met.url));
    for (const server of [one, two, three]) assert.equal(await statusWith(server, pair), 200);
    const keys = await Promise.all([one, two, three].map(async ({ url }) => (await fetch(`${url}/oauth/jwks`)).text()));
    assert.equal(new Set(keys).size, 1);
  });
});

async function versionsOf(person: Caller, vault: string) {
  const headers = { 'x-vault-id': vault };
  const { id } = (await person.get('/notes/A.md', headers)).body;
  return (await person.get(`/notes/by-id/${id}/versions`, headers)).body.versions;
}
