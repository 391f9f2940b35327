/**
 * Applications that were let in while the clock was 400 days ahead, after it was set right; and servers of one database
 * whose machines' clocks differ.
 */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { None } from 'oauth4webapi';
import { shortenTerms } from '../../../src/app/terms.ts';
import { fakeFetch, json } from '../../kit/clients/fake-fetch.ts';
import { Browser, signedIn } from '../../kit/clients/oauth.ts';
import { OAuthApp, oauthErrorOf } from '../../kit/clients/oauth-app.ts';
import { onEachEngine, onSqlite, rawOf } from '../../kit/engines.ts';
import { startServer, type TestServer } from '../../kit/server.ts';

const DAYS = 400;
const HOUR_MS = 3_600_000;

/** Sets the clock of the machine, with which the provider compares; that of the database does not follow. */
function machineClock(t: TestContext): (hours: number) => void {
  const { now } = Date;
  let shift = 0;
  t.mock.method(Date, 'now', () => now() + shift);
  return (hours) => {
    shift = hours * HOUR_MS;
  };
}

/** Runs work while both clocks are ahead, as on SQLite, and sets them right. */
async function whileAhead<Result>(
  server: TestServer,
  set: (hours: number) => void,
  work: () => Promise<Result>,
  days = DAYS,
) {
  set(days * 24);
  server.clock.shiftWall({ days });
  const result = await work();
  set(0);
  server.clock.shiftWall({ days: -days });
  await shortenTerms(server.db, server.clock);
  await server.app.oauth.sweep();
  return result;
}

async function begin(server: TestServer): Promise<OAuthApp> {
  await server.alice.post('/vaults', { name: 'Home' });
  return OAuthApp.register(server);
}

const meOf = async (server: TestServer, token: string) => (await server.bearer(token).get('/me')).status;

onEachEngine('OAuth after a clock that was ahead', (open) => {
  test('tokens last for their usual time', async (t) => {
    await using server = await startServer({ open });
    const app = await begin(server);
    const pair = await whileAhead(server, machineClock(t), () => app.connect());
    assert.equal(await meOf(server, pair.access_token), 200);
    server.clock.advance({ minutes: 15 });
    assert.equal(await meOf(server, pair.access_token), 401);
    const next = await app.refresh(pair.refresh_token);
    assert.equal(await meOf(server, next.access_token), 200);
    server.clock.advance({ days: 90 });
    assert.equal(await oauthErrorOf(app.refresh(next.refresh_token)), 'invalid_grant');
    await server.app.oauth.sweep();
    await using raw = await rawOf(server.db);
    assert.deepEqual(await raw.all('select id from oauth_grants where details is not null'), []);
  });

  test('a refresh token that was replaced meanwhile counts as reused', async (t) => {
    await using server = await startServer({ open });
    const app = await begin(server);
    const first = await app.connect();
    const second = await whileAhead(server, machineClock(t), () => app.refresh(first.refresh_token), 20);
    assert.equal(await oauthErrorOf(app.refresh(first.refresh_token)), 'invalid_grant');
    assert.equal(await meOf(server, second.access_token), 401, 'the grant has ended');
  });

  test('codes and pages of consent last for their usual time', async (t) => {
    await using server = await startServer({ open });
    const app = await begin(server);
    const set = machineClock(t);
    const requests = [await app.ask(), await app.ask()] as const;
    const browser = new Browser(server);
    const [codes, page] = await whileAhead(server, set, async () => [
      [await app.allowed(requests[0]), await app.allowed(requests[1])] as const,
      await signedIn(browser, requests[0].url, server.alice),
    ]);
    assert.equal(await meOf(server, (await app.exchange(requests[0], codes[0])).access_token), 200);
    server.clock.advance({ seconds: 60 });
    assert.equal(await oauthErrorOf(app.exchange(requests[1], codes[1])), 'invalid_grant');
    assert.match((await browser.submit(page, 'allow', { elsewhere: 'write' })).url, /[?&]code=/);
    const late = await whileAhead(server, set, () => signedIn(browser, requests[0].url, server.alice));
    server.clock.advance({ minutes: 30 });
    assert.doesNotMatch((await browser.submit(late, 'allow', { elsewhere: 'write' })).url, /[?&]code=/);
  });

  test('clients that were registered or used meanwhile are kept as long as others', async (t) => {
    await using server = await startServer({ open });
    await server.alice.post('/vaults', { name: 'Home' });
    const set = machineClock(t);
    const used = await whileAhead(server, set, async () => {
      await OAuthApp.register(server);
      const app = await OAuthApp.register(server);
      await app.connect();
      return app;
    });
    await using raw = await rawOf(server.db);
    const times = async () =>
      (await raw.all('select coalesce(used_at, created_at) as at from oauth_clients')).map(({ at }) => Number(at));
    assert.deepEqual(await times(), [server.clock.now(), server.clock.now()]);
    server.clock.advance({ days: 2 });
    await used.connect();
    await server.app.oauth.sweep();
    assert.deepEqual(await times(), [server.clock.now()]);
  });
});

onEachEngine('OAuth of servers whose machines’ clocks differ by two hours', (open) => {
  for (const hours of [2, -2]) {
    test(`lets an application in by the database’s clock: ${hours}`, async (t) => {
      await using server = await startServer({ open });
      const app = await begin(server);
      const set = machineClock(t);
      const browser = new Browser(server);
      const request = await app.ask();
      set(hours);
      const page = await signedIn(browser, request.url, server.alice);
      set(0);
      assert.match(page.text, /name="step" value="allow"/);
      set(hours);
      const back = await app.allowed(request);
      set(0);
      const pair = await app.exchange(request, back);
      set(hours);
      const next = await app.refresh(pair.refresh_token);
      set(0);
      assert.equal(await meOf(server, (await app.refresh(next.refresh_token)).access_token), 200);
    });
  }
});

onSqlite('the document of a client that was read while the clock was ahead', (open) => {
  test('is read again', async (t) => {
    await using web = await fakeFetch();
    await using server = await startServer({ open, web: web.fetcher, config: { publicUrl: 'https://notes.example' } });
    await server.alice.post('/vaults', { name: 'Home' });
    const id = 'https://client.example/client.json';
    const client = { client_id: id, redirect_uris: ['https://client.example/cb'], token_endpoint_auth_method: 'none' };
    web.names.set('client.example', [['93.184.216.34']]);
    web.documents.set(id, json(client, { 'cache-control': 'max-age=3600' }));
    const app = new OAuthApp(server, await OAuthApp.discover(server), client, None());
    const read = async () => new Browser(server).open((await app.ask()).url);
    const set = machineClock(t);
    await whileAhead(server, set, read);
    await read();
    await read();
    assert.deepEqual(web.requests, [id, id]);
  });
});
