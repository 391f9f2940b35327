import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { VaultId } from '@notevault/protocol/values/ids.ts';
import { Browser, ISSUER, startIssuer } from '../../../../test/kit/clients/oauth.ts';
import { OAuthApp, oauthErrorOf, statusOf, vaultOf } from '../../../../test/kit/clients/oauth-app.ts';
import { onSqlite, rawOf } from '../../../../test/kit/engines.ts';
import { oneServer } from '../../../../test/kit/server.ts';
import { type Principal, permissionOf } from '../../foundation/access/access.ts';

const note = (path = 'A.md') => ({ path, content: 'text', mtime: 1 });

onSqlite('tokens of an OAuth application', (open) => {
  const one = oneServer(() => ({ open, config: { publicUrl: ISSUER } }));
  /** An application, and alice with a vault. */
  const start = async () => {
    const server = await one();
    await vaultOf(server.alice);
    return { server, app: await OAuthApp.register(server) };
  };

  test('need a code that lasts a minute and is used once; a second use revokes everything', async () => {
    const { server, app } = await start();
    const late = await app.ask();
    const lateBack = await app.allowed(late);
    server.clock.advance({ seconds: 60 });
    assert.equal(await oauthErrorOf(app.exchange(late, lateBack)), 'invalid_grant');
    const request = await app.ask();
    const back = await app.allowed(request);
    server.clock.advance({ seconds: 60, ms: -1 });
    const pair = await app.exchange(request, back);
    assert.equal(await statusOf(server, pair), 200);
    assert.equal(await oauthErrorOf(app.exchange(request, back)), 'invalid_grant');
    assert.equal(await statusOf(server, pair), 401);
    assert.equal(await oauthErrorOf(app.refresh(pair.refresh_token)), 'invalid_grant');
  });

  test('are issued to one of five exchanges of one code at once, and then revoked', async () => {
    const { server, app } = await start();
    const request = await app.ask();
    const back = await app.allowed(request);
    const five = await Promise.allSettled(Array.from({ length: 5 }, () => app.exchange(request, back)));
    const pairs = five.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
    assert.ok(pairs.length <= 1);
    for (const pair of pairs) assert.equal(await statusOf(server, pair), 401);
  });

  test('are refreshed; the previous one is accepted for thirty seconds, and later reuse ends the family', async () => {
    const { server, app } = await start();
    const other = await app.connect();
    const first = await app.connect();
    const second = await app.refresh(first.refresh_token);
    assert.notEqual(second.refresh_token, first.refresh_token);
    server.clock.advance({ seconds: 30 });
    const again = await app.refresh(first.refresh_token);
    for (const pair of [first, second, again]) assert.equal(await statusOf(server, pair), 200);
    server.clock.advance({ ms: 1 });
    assert.equal(await oauthErrorOf(app.refresh(first.refresh_token)), 'invalid_grant');
    for (const pair of [second, again]) {
      assert.equal(await statusOf(server, pair), 401);
      assert.equal(await oauthErrorOf(app.refresh(pair.refresh_token)), 'invalid_grant');
    }
    assert.equal(await statusOf(server, other), 200, 'another sign-in goes on');
  });

  test('end with their family on reuse of a token no longer stored; made-up ones end nothing', async () => {
    const { server, app } = await start();
    const first = await app.connect();
    let last = first;
    for (let i = 0; i < 3; i++) {
      server.clock.advance({ minutes: 10 });
      last = await app.refresh(last.refresh_token);
    }
    for (const token of ['nv_oar_AAAAAAAAAAAAAAAAAAAAAA.x', 'x', last.access_token]) {
      assert.equal(await oauthErrorOf(app.refresh(token)), 'invalid_grant');
    }
    assert.equal(await statusOf(server, last), 200);
    assert.equal(await oauthErrorOf(app.refresh(first.refresh_token)), 'invalid_grant');
    assert.equal(await statusOf(server, last), 401);
  });

  test('are valid for fifteen minutes, and for ninety days after the last refresh', async () => {
    await using server = await startIssuer({ open });
    await vaultOf(server.alice);
    const app = await OAuthApp.register(server);
    let pair = await app.connect();
    server.clock.advance({ minutes: 15, ms: -1 });
    assert.equal(await statusOf(server, pair), 200);
    server.clock.advance({ ms: 1 });
    assert.equal(await statusOf(server, pair), 401);
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
    const { server, app } = await start();
    const pair = await app.connect({ scope: 'mcp mcp:read' });
    const less = await app.refresh(pair.refresh_token, { scope: 'mcp:read' });
    const caller = server.bearer(less.access_token);
    assert.equal((await caller.get('/tags')).status, 200);
    assert.equal((await caller.post('/notes', note())).body.error, 'insufficient_access');
    const reader = await app.connect({ scope: 'mcp:read' });
    assert.equal(await oauthErrorOf(app.refresh(reader.refresh_token, { scope: 'mcp' })), 'invalid_scope');
  });

  test('that request no vault access at a refresh have none', async () => {
    await using server = await startIssuer({ open });
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
    await using server = await startIssuer({ open });
    await vaultOf(server.alice);
    const [app, other] = [await OAuthApp.register(server), await OAuthApp.register(server)];
    for (const which of ['refresh_token', 'access_token'] as const) {
      const pair = await app.connect();
      const token = pair[which] ?? '';
      await other.revoke(token);
      assert.equal(await statusOf(server, pair), 200, 'another client’s word does not count');
      assert.equal(await oauthErrorOf(other.refresh(pair.refresh_token)), 'invalid_grant');
      assert.equal(await statusOf(server, pair), 200);
      await app.revoke(token);
      await app.revoke(token);
      assert.equal(await statusOf(server, pair), 401);
      assert.equal(await oauthErrorOf(app.refresh(pair.refresh_token)), 'invalid_grant');
    }
    await app.revoke('no such token');
    assert.deepEqual((await server.alice.get('/connections')).body, []);
  });

  test('are revoked by their owner, all of a client at once, and by nobody else', async () => {
    await using server = await startIssuer({ open });
    await vaultOf(server.alice);
    await vaultOf(server.bob);
    const app = await OAuthApp.register(server);
    const [one, two, bobs] = [await app.connect(), await app.connect(), await app.connect({}, server.bob)];
    const path = `/connections/oauth/${app.client.client_id}`;
    for (let i = 0; i < 2; i++) {
      const { status, body } = await server.alice.delete(path);
      assert.deepEqual([status, body], [204, null]);
    }
    for (const pair of [one, two]) assert.equal(await statusOf(server, pair), 401);
    assert.equal(await statusOf(server, bobs), 200);
    assert.deepEqual((await server.alice.get('/connections')).body, []);
    const unknown = await server.alice.delete('/connections/oauth/https://nobody.example/client.json');
    assert.deepEqual([unknown.status, unknown.body], [404, { error: 'not_found' }]);
  });

  test('end with the account, and are refused while it is suspended', async () => {
    await using server = await startIssuer({ open });
    await vaultOf(server.bob);
    const app = await OAuthApp.register(server);
    const pair = await app.connect({}, server.bob);
    await server.app.accounts.setSuspended(server.bob.email, true);
    assert.equal(await statusOf(server, pair), 403);
    assert.equal(await oauthErrorOf(app.refresh(pair.refresh_token)), 'invalid_grant');
    await server.app.accounts.setSuspended(server.bob.email, false);
    assert.equal(await statusOf(server, await app.refresh(pair.refresh_token)), 200);
    const bob = await server.bob.logIn();
    await server.bearer(bob.body.access_token).delete('/me', { password: server.bob.password });
    assert.equal(await statusOf(server, pair), 401);
    assert.equal(await oauthErrorOf(app.refresh(pair.refresh_token)), 'invalid_grant');
    await using raw = await rawOf(server.db);
    for (const table of ['oauth_tokens', 'oauth_grants', 'connections']) {
      assert.deepEqual(await raw.all(`select * from ${table}`), [], table);
    }
  });

  test('are looked up by one statement, without the provider; a reduced scope stays reduced', async () => {
    await using server = await startIssuer({ open });
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
    const levelOf = (of: Principal | null) => of && permissionOf('owner', of, home);
    assert.deepEqual([principal.kind, levelOf(principal)], ['oauth', 'read']);
    const later = await running.credentials.recall(principal);
    assert.equal(levelOf(later), 'read');
    assert.equal(levelOf(later && (await running.credentials.recall(later))), 'read');
    const wide = await running.credentials.recall(await running.credentials.authenticateToken(pair.access_token));
    assert.equal(levelOf(wide), 'write');
    await app.revoke(pair.access_token);
    assert.equal(await running.credentials.recall(principal), null);
  });

  test('that were never fetched leave no connection behind', async () => {
    const { server, app } = await start();
    await app.allowed(await app.ask());
    server.clock.advance({ minutes: 10 });
    await server.app.oauth.sweep();
    assert.deepEqual((await server.alice.get('/connections')).body, []);
    const kept = await app.connect();
    server.clock.advance({ minutes: 10 });
    await server.app.oauth.sweep();
    assert.equal(await statusOf(server, kept), 200);
  });

  test('are nowhere in the database in clear, nor are names and secrets of clients', async () => {
    await using server = await startIssuer({ open });
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
