import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { onSqlite } from '../../../../../test/kit/engines.ts';
import { oneServer, startServer } from '../../../../../test/kit/server.ts';

const password = 'correct horse battery';
const cookieOf = (refreshToken: string) => ({ cookie: `refresh_token=${refreshToken}` });
const both = (error: string) => ({ error, errors: error });

onSqlite('POST /auth/login', (open) => {
  const start = oneServer(() => ({ open }));

  test('answers 200 like registration', async () => {
    await using server = await start();
    const { id } = await server.alice.signed();
    const answer = await server.anyone.post('/auth/login', {
      email: 'Alice@example.org',
      password: server.alice.password,
    });
    assert.equal(answer.status, 200);
    assert.deepEqual(answer.body.user, { id, email: 'alice@example.org', role: 'admin' });
    assert.equal((await server.bearer(answer.body.access_token).get('/me')).status, 200);
    assert.ok(answer.cookie('refresh_token'));
  });

  test('POST /auth/login without remembering sets a cookie that ends with the browser, also after a refresh', async () => {
    await using server = await start();
    await server.alice.signed();
    const { email, password } = server.alice;
    const lasting = await server.anyone.post('/auth/login', { email, password });
    const brief = await server.anyone.post('/auth/login', { email, password, remember: false });
    const setBy = ({ headers }: { readonly headers: Headers }) => String(headers.get('set-cookie'));
    assert.match(setBy(lasting), /Max-Age=2592000/);
    assert.doesNotMatch(setBy(brief), /Max-Age|Expires/);
    const token = /refresh_token=([^;]+)/.exec(setBy(brief))?.[1] ?? '';
    const refreshed = await server.anyone.post('/auth/refresh', undefined, cookieOf(token));
    assert.equal(refreshed.status, 200);
    assert.doesNotMatch(setBy(refreshed), /Max-Age|Expires/);
  });

  test('refuses a wrong password and an unknown e-mail with the same body', async () => {
    await using server = await start();
    await server.alice.signed();
    const wrong = await server.anyone.post('/auth/login', { email: server.alice.email, password });
    const unknown = await server.anyone.post('/auth/login', { email: 'nobody@example.org', password });
    for (const answer of [wrong, unknown]) {
      assert.deepEqual([answer.status, answer.body], [401, { error: 'invalid_credentials' }]);
      assert.equal(answer.headers.get('www-authenticate'), null);
    }
    const missing = await server.anyone.post('/auth/login', { email: server.alice.email });
    assert.deepEqual([missing.status, missing.body], [422, both('email and password required')]);
  });

  test('refuses a suspended account', async () => {
    await using server = await start();
    const { email } = server.bob;
    await server.bob.signed();
    await server.app.accounts.setSuspended(email, true);
    const answer = await server.anyone.post('/auth/login', { email, password: server.bob.password });
    assert.deepEqual([answer.status, answer.body], [403, { error: 'account_suspended' }]);
    const me = await server.bob.get('/me');
    assert.deepEqual([me.status, me.body], [403, { error: 'suspended' }]);
  });

  test('logs one line for a wrong password, with the client’s address and without the e-mail', async () => {
    const lines: string[] = [];
    await using server = await startServer({ open, log: (line) => lines.push(line) });
    const { email } = server.alice;
    await server.alice.signed();
    const docs = readFileSync(new URL('../../../../../../docs/operations.md', import.meta.url), 'utf8');
    const filter = new RegExp(/^failregex = (.+)$/m.exec(docs)?.[1]?.replace('<HOST>', '([0-9.:a-f]+)') ?? '-');
    for (const sent of [email, 'nobody@example.org']) {
      lines.length = 0;
      await server.anyone.post('/auth/login', { email: sent, password: 'wrong one' });
      const refused = lines.filter((line) => line.includes('sign_in_refused'));
      assert.deepEqual(
        refused.map((line) => [filter.exec(line)?.[1], JSON.parse(line).msg]),
        [['127.0.0.1', 'wrong e-mail or password']],
      );
      assert.doesNotMatch(lines.join(''), /example\.org|wrong one/);
    }
    lines.length = 0;
    await server.anyone.post('/auth/login', { email, password: server.alice.password });
    assert.doesNotMatch(lines.join(''), /sign_in_refused/);
  });

  test('is rate-limited by address and path', async () => {
    await using server = await startServer({ open, config: { authRateLimit: 2 } });
    const attempt = () => server.anyone.post('/auth/login', {});
    assert.deepEqual([(await attempt()).status, (await attempt()).status], [422, 422]);
    const answer = await attempt();
    assert.deepEqual([answer.status, answer.body], [429, { error: 'rate_limited' }]);
    assert.match(answer.headers.get('retry-after') ?? '', /^\d+$/);
    assert.equal((await server.anyone.get('/auth/bootstrap')).status, 200);
  });
});

onSqlite('POST /auth/refresh', (open) => {
  const start = oneServer(() => ({ open }));

  test('rotates the cookie, accepts the previous one for 30 s, and revokes the family when it is used later', async () => {
    await using server = await start();
    const { refreshToken } = await server.alice.signed();
    const refresh = (token: string) => server.anyone.post('/auth/refresh', undefined, cookieOf(token));
    const first = await refresh(refreshToken);
    assert.deepEqual([first.status, Object.keys(first.body).sort()], [200, ['access_token', 'expires_in']]);
    const next = first.cookie('refresh_token') ?? '';
    assert.notEqual(next, refreshToken);
    server.clock.advance({ seconds: 30 });
    assert.equal((await refresh(refreshToken)).status, 200);
    server.clock.advance({ ms: 1 });
    for (const token of [refreshToken, next]) {
      const answer = await refresh(token);
      assert.deepEqual([answer.status, answer.body], [401, { error: 'invalid_refresh_token' }]);
    }
    assert.equal((await server.bearer(first.body.access_token).get('/me')).status, 401);
  });

  test('refuses a missing cookie, an unknown one, and a foreign origin', async () => {
    await using server = await start();
    const none = await server.anyone.post('/auth/refresh');
    assert.deepEqual([none.status, none.body], [401, { error: 'no_refresh_token' }]);
    const unknown = await server.anyone.post('/auth/refresh', undefined, cookieOf('a.b'));
    assert.deepEqual([unknown.status, unknown.body], [401, { error: 'invalid_refresh_token' }]);
    const foreign = await server.anyone.post('/auth/refresh', undefined, { origin: 'https://evil.example' });
    assert.deepEqual([foreign.status, foreign.body], [403, { error: 'foreign_origin' }]);
  });

  test('accepts pages of the public address and of the address by which they reach the server', async () => {
    const publicUrl = 'https://notes.example.org';
    await using server = await startServer({ open, config: { publicUrl } });
    const { port } = new URL(server.url);
    const refresh = (origin: string) => server.anyone.post('/auth/refresh', undefined, { origin });
    for (const origin of [publicUrl, `http://127.0.0.1:${port}`]) {
      assert.deepEqual((await refresh(origin)).body, { error: 'no_refresh_token' }, origin);
    }
    const foreign = [
      'null',
      'http://127.0.0.1',
      `https://127.0.0.1:${port}`,
      `http://localhost:${port}`,
      `${publicUrl}:444`,
    ];
    for (const origin of foreign) assert.deepEqual((await refresh(origin)).body, { error: 'foreign_origin' }, origin);
  });
});

onSqlite('the limits of signed-in pages behind one address', (open) => {
  test('counts by its session, and by address only where no session is proved', async () => {
    await using server = await startServer({ open, config: { authRateLimit: 2 } });
    const tokens = [await server.alice.signed(), await server.bob.signed()].map(({ refreshToken }) => refreshToken);
    const refresh = async (token: string) =>
      (await server.anyone.post('/auth/refresh', undefined, cookieOf(token))).status;
    const statuses = [];
    for (const token of ['none.at.all', 'none.at.all', 'none.at.all', ...tokens, ...tokens, ...tokens]) {
      statuses.push(await refresh(token));
    }
    assert.deepEqual(statuses, [401, 401, 429, 200, 200, 200, 200, 429, 429]);
  });

  test('the requests that begin a sign-in are answered 120 times a minute', async () => {
    const publicUrl = 'https://notes.example.org';
    await using server = await startServer({ open, config: { authRateLimit: 2, publicUrl } });
    for (const [method, path, status] of [
      ['GET', '/auth/bootstrap', 200],
      ['POST', '/auth/passkeys/login/options', 200],
      ['GET', '/auth/oidc/start', 302],
    ] as const) {
      const ask = async () => (await server.anyone.call(method, path, undefined, {})).status;
      for (let count = 1; count <= 120; count++) assert.equal(await ask(), status, `request ${count} of ${path}`);
      assert.equal(await ask(), 429, path);
    }
  });
});

onSqlite('POST /auth/logout', (open) => {
  const start = oneServer(() => ({ open }));

  test('has the browser clear what it keeps only where that is asked for', async () => {
    await using server = await start();
    const clears = async (path: string) => (await server.anyone.post(path)).headers.get('clear-site-data');
    assert.deepEqual([await clears('/auth/logout'), await clears('/auth/logout?clear=true')], [null, '"storage"']);
  });

  test('ends the session and clears the cookie; without a session it has no effect', async () => {
    await using server = await start();
    const { refreshToken } = await server.alice.signed();
    const nothing = await server.anyone.post('/auth/logout');
    assert.deepEqual([nothing.status, nothing.body], [204, null]);
    const answer = await server.anyone.post('/auth/logout', undefined, cookieOf(refreshToken));
    assert.deepEqual([answer.status, answer.body, answer.cookie('refresh_token')], [204, null, null]);
    assert.match(answer.headers.getSetCookie()[0] ?? '', /Path=\/api\/auth/);
    assert.equal((await server.alice.get('/me')).status, 401);
    assert.equal((await server.anyone.post('/auth/refresh', undefined, cookieOf(refreshToken))).status, 401);
  });

  test('also ends the session of an access token', async () => {
    await using server = await start();
    assert.equal((await server.alice.post('/auth/logout')).status, 204);
    assert.equal((await server.alice.get('/me')).status, 401);
  });
});

onSqlite('/me/sessions', (open) => {
  const start = oneServer(() => ({ open }));

  test('lists every sign-in with address and program, and ends one or all others', async () => {
    await using server = await start();
    const { alice, bob } = server;
    await alice.signed();
    server.clock.advance({ seconds: 60 });
    const login = async (agent: string) => {
      const sent = { email: alice.email, password: alice.password };
      const { body } = await server.anyone.post('/auth/login', sent, { 'user-agent': agent });
      return server.bearer(body.access_token);
    };
    const phone = await login('Phone/1');
    const tablet = await login(`Tablet/${'9'.repeat(300)}`);
    const { status, body } = await phone.get('/me/sessions');
    assert.equal(status, 200);
    const [newest, phones, oldest] = body.sessions;
    assert.equal(body.sessions.length, 3);
    assert.equal(oldest.created_at < phones.created_at, true);
    assert.deepEqual([phones.current, phones.ip, phones.user_agent], [true, '127.0.0.1', 'Phone/1']);
    assert.deepEqual([newest.current, newest.user_agent.length], [false, 256]);

    for (const [caller, id] of [
      [bob, newest.id],
      [alice, 'no id'],
      [alice, crypto.randomUUID()],
    ] as const) {
      const refused = await caller.delete(`/me/sessions/${id}`);
      assert.deepEqual([refused.status, refused.body], [404, { error: 'not_found' }]);
    }
    assert.equal((await tablet.get('/me')).status, 200);
    assert.equal((await phone.delete(`/me/sessions/${newest.id}`)).status, 204);
    assert.equal((await tablet.get('/me')).status, 401);
    const others = await phone.delete('/me/sessions');
    assert.deepEqual([others.status, others.body], [200, { deleted: 1 }]);
    assert.equal((await alice.get('/me')).status, 401);
    assert.equal((await phone.get('/me')).status, 200);
    assert.equal((await bob.get('/me')).status, 200);
  });

  test('shows the address and time of the last refresh', async () => {
    await using server = await start();
    const { accessToken, refreshToken } = await server.alice.signed();
    server.clock.advance({ seconds: 90 });
    const agent = { 'user-agent': 'Browser/2' };
    assert.equal(
      (await server.anyone.post('/auth/refresh', undefined, { ...cookieOf(refreshToken), ...agent })).status,
      200,
    );
    const [session] = (await server.bearer(accessToken).get('/me/sessions')).body.sessions;
    assert.equal(Date.parse(session.last_used_at) - Date.parse(session.created_at), 90_000);
    assert.equal(session.user_agent, 'Browser/2');
  });
});
