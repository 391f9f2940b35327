import assert from 'node:assert/strict';
import { test } from 'node:test';
import { None } from 'oauth4webapi';
import { type FakeFetch, fakeFetch, json } from '../../../../test/kit/clients/fake-fetch.ts';
import { Browser, type Met, signedIn } from '../../../../test/kit/clients/oauth.ts';
import { OAuthApp } from '../../../../test/kit/clients/oauth-app.ts';
import { onSqlite } from '../../../../test/kit/engines.ts';
import { startServer, type TestServer } from '../../../../test/kit/server.ts';

const ID = 'https://client.example/oauth/client.json';
const DOCUMENT = {
  client_id: ID,
  client_name: 'Published',
  redirect_uris: ['https://client.example/cb', 'http://127.0.0.1/cb'],
  grant_types: ['authorization_code', 'refresh_token'],
  token_endpoint_auth_method: 'none',
};

async function publish(web: FakeFetch, document: unknown = DOCUMENT, address = '93.184.216.34'): Promise<void> {
  web.names.set('client.example', [[address]]);
  web.documents.set(ID, json(document, { 'cache-control': 'max-age=3600' }));
}

/** The application without registration: its id is the URL of its metadata document. */
async function published(server: TestServer): Promise<OAuthApp> {
  const client = { ...DOCUMENT, redirect_uris: [...DOCUMENT.redirect_uris] };
  return new OAuthApp(server, await OAuthApp.discover(server), client, None());
}

async function met(server: TestServer): Promise<Met> {
  return new Browser(server).open((await (await published(server)).ask()).url);
}

onSqlite('a client with a metadata document', (open) => {
  const start = (web: FakeFetch) =>
    startServer({ open, web: web.fetcher, config: { publicUrl: 'https://notes.example' } });

  test('is authorized without registration, and verified when its document and its redirect share a host', async () => {
    await using web = await fakeFetch();
    await using server = await start(web);
    await publish(web);
    await server.alice.post('/vaults', { name: 'Home' });
    const app = await published(server);
    const page = await signedIn(new Browser(server), (await app.ask()).url, server.alice);
    assert.match(page.text, /<h1>Published wants/);
    assert.match(page.text, /<strong>client\.example<\/strong>, verified/);
    const pair = await app.refresh((await app.connect()).refresh_token);
    assert.equal((await server.bearer(pair.access_token).get('/tags')).status, 200);
    await app.connect({ redirectUri: 'http://127.0.0.1:4321/cb' });
    const rows = (await server.alice.get('/connections')).body;
    const shown = rows.map((row: Record<string, unknown>) => [
      row.client_id,
      row.cimd_url,
      row.redirect_uri,
      row.verified,
    ]);
    assert.deepEqual(shown, [
      [ID, ID, 'https://client.example/cb', true],
      [ID, ID, 'http://127.0.0.1:4321/cb', false],
    ]);
    assert.deepEqual(web.requests, [ID], 'fetched once and kept');
    assert.deepEqual(web.dialled, ['93.184.216.34']);
  });

  test('is revoked by its URL, however that is spelled in the path', async () => {
    await using web = await fakeFetch();
    await using server = await start(web);
    await publish(web);
    await server.alice.post('/vaults', { name: 'Home' });
    const app = await published(server);
    for (const spelled of [ID, encodeURIComponent(ID), ID.replace('/oauth', '%2foauth')]) {
      const { access_token } = await app.connect();
      assert.equal((await server.alice.delete(`/connections/oauth/${spelled}`)).status, 204);
      assert.equal((await server.bearer(access_token).get('/me')).status, 401);
    }
    assert.equal((await server.bob.delete(`/connections/oauth/${ID}`)).status, 404);
  });

  test('is never fetched from this machine or its networks', async () => {
    await using web = await fakeFetch();
    await using server = await start(web);
    for (const address of ['127.0.0.1', '10.0.0.7', '169.254.169.254', '::1', 'fd00::7']) {
      await publish(web, DOCUMENT, address);
      const { status, text } = await met(server);
      assert.equal(status, 400, address);
      assert.ok(!text.includes(address), 'what was found there stays here');
    }
    assert.deepEqual([web.dialled, web.requests], [[], []]);
    const app = await published(server);
    for (const host of ['localhost', '127.0.0.1', '[::1]', 'client.example:22']) {
      const url = (await app.ask({ more: { client_id: `https://${host}/client.json` } })).url;
      assert.equal((await new Browser(server).open(url)).status, 400, host);
    }
    assert.deepEqual(web.requests, []);
  });

  test('is refused when its document is foreign, missing, unreadable or invalid', async () => {
    await using web = await fakeFetch();
    await using server = await start(web);
    const wrong: unknown[] = [
      { ...DOCUMENT, client_id: 'https://client.example/other.json' },
      { ...DOCUMENT, client_secret: 'x' },
      { ...DOCUMENT, token_endpoint_auth_method: 'client_secret_post' },
      { ...DOCUMENT, redirect_uris: [] },
      { ...DOCUMENT, redirect_uris: ['http://client.example/cb'] },
      { ...DOCUMENT, redirect_uris: ['https://client.example/cb', 'javascript:alert(1)'] },
      { ...DOCUMENT, redirect_uris: 'https://client.example/cb' },
      { ...DOCUMENT, client_name: 'x'.repeat(70_000) },
      { ...DOCUMENT, client_name: 'Pub\u202elished' },
      { ...DOCUMENT, logo_uri: 'http://127.0.0.1/logo.png' },
      [],
      'text',
      null,
    ];
    for (const document of wrong) {
      await publish(web, document);
      assert.equal((await met(server)).status, 400, JSON.stringify(document).slice(0, 100));
    }
    web.documents.set(ID, (response) =>
      response.writeHead(302, { location: 'https://client.example/real.json' }).end(),
    );
    assert.equal((await met(server)).status, 400);
    web.documents.set(ID, (response) => response.end('<html>'));
    assert.equal((await met(server)).status, 400);
    web.documents.delete(ID);
    assert.equal((await met(server)).status, 400);
    await publish(web);
    assert.equal((await met(server)).status, 200, 'and taken once it is right');
  });

  test('gets no code at a redirect that its document does not list', async () => {
    await using web = await fakeFetch();
    await using server = await start(web);
    await publish(web);
    const app = await published(server);
    for (const redirectUri of [
      'https://client.example/other',
      'https://evil.example/cb',
      'http://127.0.0.1:99/other',
    ]) {
      const { status, url } = await new Browser(server).open((await app.ask({ redirectUri })).url);
      assert.equal(status, 400);
      assert.ok(url.startsWith('https://notes.example/'));
    }
  });
});
