/** Tests how the official MCP client obtains a token from the server's address alone. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { auth, type OAuthClientProvider } from '@modelcontextprotocol/sdk/client/auth.js';
import type { OAuthClientInformationMixed, OAuthTokens } from '@modelcontextprotocol/sdk/shared/auth.js';
import { fakeFetch, json } from '../../server/test/kit/clients/fake-fetch.ts';
import { Browser, outside, signedIn } from '../../server/test/kit/clients/oauth.ts';
import { onEachEngine } from '../../server/test/kit/engines.ts';
import { startServer, type TestServer } from '../../server/test/kit/server.ts';

const ISSUER = 'https://notes.example';
const REDIRECT = 'http://127.0.0.1:33418/callback';

/** OAuth state that an MCP client stores between steps. */
class Kept implements OAuthClientProvider {
  readonly redirectUrl = REDIRECT;
  readonly clientMetadata = {
    client_name: 'MCP client',
    redirect_uris: [REDIRECT],
    grant_types: ['authorization_code', 'refresh_token'],
  };
  readonly clientMetadataUrl?: string;
  sentTo: URL | undefined;
  information: OAuthClientInformationMixed | undefined;
  saved: OAuthTokens | undefined;
  #verifier = '';

  constructor(metadataUrl?: string) {
    if (metadataUrl !== undefined) this.clientMetadataUrl = metadataUrl;
  }
  clientInformation = () => this.information;
  saveClientInformation = (information: OAuthClientInformationMixed) => {
    this.information = information;
  };
  tokens = () => this.saved;
  saveTokens = (tokens: OAuthTokens) => {
    this.saved = tokens;
  };
  redirectToAuthorization = (url: URL) => {
    this.sentTo = url;
  };
  saveCodeVerifier = (verifier: string) => {
    this.#verifier = verifier;
  };
  codeVerifier = () => this.#verifier;
}

/** Goes from the address to tokens, with a person who consents. */
async function connect(server: TestServer, kept: Kept): Promise<void> {
  const options = { serverUrl: `${ISSUER}/api/mcp`, fetchFn: outside(server) as never };
  assert.equal(await auth(kept, options), 'REDIRECT');
  const browser = new Browser(server);
  const page = await signedIn(browser, kept.sentTo?.href ?? '', server.alice);
  const { url } = await browser.submit(page, 'allow');
  assert.ok(url.startsWith(REDIRECT));
  const authorizationCode = new URL(url).searchParams.get('code') ?? '';
  assert.equal(await auth(kept, { ...options, authorizationCode }), 'AUTHORIZED');
}

onEachEngine('the official MCP client', (open) => {
  test('the official MCP client registers, gets consent and tokens, and refreshes them', async () => {
    await using server = await startServer({ open, config: { publicUrl: ISSUER } });
    await server.alice.post('/vaults', { name: 'Home' });
    const kept = new Kept();
    await connect(server, kept);
    assert.equal(kept.sentTo?.searchParams.get('resource'), `${ISSUER}/api/mcp`);
    const first = kept.saved;
    assert.match(first?.access_token ?? '', /^nv_oat_/);
    assert.equal((await server.bearer(first?.access_token ?? '').get('/tags')).status, 200);
    server.clock.advance({ minutes: 16 });
    assert.equal((await server.bearer(first?.access_token ?? '').get('/tags')).status, 401);
    assert.equal(await auth(kept, { serverUrl: `${ISSUER}/api/mcp`, fetchFn: outside(server) as never }), 'AUTHORIZED');
    assert.notEqual(kept.saved?.access_token, first?.access_token);
    assert.equal((await server.bearer(kept.saved?.access_token ?? '').get('/tags')).status, 200);
  });

  test('the official MCP client needs no registration when it has a metadata document', async () => {
    const id = 'https://client.example/mcp.json';
    await using web = await fakeFetch();
    web.names.set('client.example', [['93.184.216.34']]);
    web.documents.set(
      id,
      json({
        client_id: id,
        client_name: 'MCP client',
        redirect_uris: [REDIRECT],
        token_endpoint_auth_method: 'none',
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
      }),
    );
    await using server = await startServer({ open, web: web.fetcher, config: { publicUrl: ISSUER } });
    await server.alice.post('/vaults', { name: 'Home' });
    const kept = new Kept(id);
    await connect(server, kept);
    assert.equal((await server.bearer(kept.saved?.access_token ?? '').get('/tags')).status, 200);
    assert.equal((await server.alice.get('/connections')).body[0].cimd_url, id);
  });
});
