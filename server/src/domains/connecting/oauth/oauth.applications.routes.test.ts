import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Browser, fieldsOf, ISSUER, signedIn, startIssuer } from '../../../../test/kit/clients/oauth.ts';
import { OAuthApp, oauthErrorOf, statusOf, vaultOf } from '../../../../test/kit/clients/oauth-app.ts';
import { onSqlite } from '../../../../test/kit/engines.ts';
import type { Caller } from '../../../../test/kit/person.ts';

const note = (path = 'A.md') => ({ path, content: 'text', mtime: 1 });

onSqlite('an OAuth application', (open) => {
  test('is decided on in the language of the browser, and of the person once that is known', async () => {
    await using server = await startIssuer({ open });
    await vaultOf(server.alice);
    await server.alice.patch('/me', { locale: 'ja' });
    const app = await OAuthApp.register(server, { client_name: 'Reading <b>' });
    const browser = new Browser(server);
    const german = { 'accept-language': 'de' };
    const { url } = await app.ask();
    const first = await browser.open(url);
    const page = await browser.open(first.url, { headers: german });
    assert.match(page.text, /<html lang="de">.*<h1>Melde dich an, um Reading &lt;b&gt; Zugriff zu geben<\/h1>/s);
    const { email, password } = server.alice;
    const fields = { ...fieldsOf(page.text), email, step: 'sign-in' };
    const wrong = await browser.send(page, { ...fields, password: 'wrong' }, german);
    assert.match(wrong.text, /<html lang="de">.*role="alert">E-Mail oder Passwort stimmt nicht\./s);
    const choice = await browser.send(page, { ...fields, password }, german);
    assert.match(choice.text, /<html lang="ja">.*<h1>Reading &lt;b&gt; が保管庫の使用を求めています<\/h1>/s);
    assert.match(choice.text, /サイト <strong>app\.example<\/strong>\(<strong class="bad">未確認<\/strong>/);
    const none = await browser.submit(choice, 'allow', { ...denyAll(choice.text), elsewhere: 'none' });
    assert.match(none.text, /<html lang="ja">.*role="alert">使用を許可する保管庫を1つ以上選んでください。/s);
  });

  test('registers, is authorized for chosen vaults, and is listed with its details', async () => {
    await using server = await startIssuer({ open });
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
    const { user } = (await server.alice.get('/me')).body;
    assert.deepEqual(version?.actor, { kind: 'oauth', name: 'Reading Room', user_id: user.id });

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
    await using server = await startIssuer({ open });
    await vaultOf(server.alice);
    for (const method of ['client_secret_basic', 'client_secret_post']) {
      const app = await OAuthApp.register(server, { token_endpoint_auth_method: method });
      const pair = await app.connect();
      assert.equal(await statusOf(server, await app.refresh(pair.refresh_token)), 200, method);
      const { None } = await import('oauth4webapi');
      const thief = new OAuthApp(server, app.as, app.client, None());
      assert.equal(await oauthErrorOf(thief.refresh(pair.refresh_token)), 'invalid_client');
    }
  });

  test('gets at most what its scope allows, and access to later vaults as the person chose', async () => {
    await using server = await startIssuer({ open });
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
    await using server = await startIssuer({ open });
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
    await using server = await startIssuer({ open });
    await vaultOf(server.alice);
    const app = await OAuthApp.register(server);
    const all = [ISSUER, `${ISSUER}/`, `${ISSUER}/api/mcp`, [ISSUER, `${ISSUER}/api/mcp`]];
    for (const resource of all) {
      const pair = await app.connect({ resource });
      assert.equal(pair.scope, 'mcp');
      assert.equal((await server.bearer(pair.access_token).post('/notes', note())).status, 200);
      const next = await app.refresh(pair.refresh_token, { resource: [resource].flat()[0] ?? '' });
      assert.equal(await statusOf(server, next), 200);
      assert.equal(
        await oauthErrorOf(app.refresh(next.refresh_token, { resource: 'https://other.example' })),
        'invalid_target',
      );
    }
    const request = await app.ask({ resource: 'https://other.example/api/mcp' });
    const met = await new Browser(server).open(request.url);
    assert.equal(new URL(met.url).searchParams.get('error'), 'invalid_target');
  });

  test('an OAuth application on the user’s machine may use any port, and its own scheme', async () => {
    await using server = await startIssuer({ open });
    await vaultOf(server.alice);
    const loopbacks = ['http://127.0.0.1/cb', 'http://[::1]/cb', 'http://localhost:1234/cb'];
    const app = await OAuthApp.register(server, { redirect_uris: [...loopbacks, 'com.example.app:/cb'] });
    for (const redirectUri of [
      'http://127.0.0.1:5555/cb',
      'http://[::1]:6666/cb',
      'http://localhost/cb',
      'com.example.app:/cb',
    ]) {
      assert.equal(await statusOf(server, await app.connect({ redirectUri })), 200, redirectUri);
    }
    const [row] = (await server.alice.get('/connections')).body;
    assert.deepEqual([row.redirect_uri, row.verified], ['http://127.0.0.1:5555/cb', false]);
  });

  test('is verified by the redirect on the operator’s list, not by another one it has', async () => {
    const listed = 'https://app.example/callback';
    await using server = await startIssuer({ open, config: { oauthVerifiedRedirects: [listed] } });
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
    await using server = await startIssuer({ open });
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

async function versionsOf(person: Caller, vault: string) {
  const headers = { 'x-vault-id': vault };
  const { id } = (await person.get('/notes/A.md', headers)).body;
  return (await person.get(`/notes/by-id/${id}/versions`, headers)).body.versions;
}

/** The choices of a person who lets an application into no vault. */
function denyAll(page: string): Record<string, string> {
  const vaults = Object.keys(fieldsOf(page)).filter((name) => name.startsWith('vault:'));
  return Object.fromEntries(vaults.map((name) => [name, 'none']));
}
