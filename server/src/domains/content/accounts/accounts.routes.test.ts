import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { onSqlite } from '../../../../test/kit/engines.ts';
import { startServer } from '../../../../test/kit/server.ts';

const password = 'correct horse battery';
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const cookieOf = (refreshToken: string) => ({ cookie: `refresh_token=${refreshToken}` });
const both = (error: string) => ({ error, errors: error });

onSqlite('POST /auth/register', (open) => {
  test('answers 201 with tokens, the user and a cookie that scripts cannot read', async () => {
    await using server = await startServer({ open });
    const setup_token = await server.app.accounts.setupToken();
    const sent = { email: ' Alice@Example.org ', password, display_name: 'Alice', setup_token };
    const answer = await server.anyone.post('/auth/register', sent);
    assert.equal(answer.status, 201);
    const { access_token, expires_in, user, ...rest } = answer.body;
    assert.deepEqual([expires_in, rest], [900, {}]);
    assert.match(access_token, /^nv_ses_/);
    assert.match(user.id, UUID);
    assert.deepEqual({ ...user, id: '' }, { id: '', email: 'alice@example.org', role: 'admin' });
    const [line = ''] = answer.headers.getSetCookie();
    const attributes = line.split('; ').slice(1).sort();
    assert.deepEqual(attributes, ['HttpOnly', `Max-Age=${30 * 86_400}`, 'Path=/api/auth', 'SameSite=Lax']);
    assert.equal(answer.headers.get('cache-control'), 'no-store');
  });

  test('makes the cookie secure when the public address is https', async () => {
    await using server = await startServer({ open, config: { publicUrl: 'https://notes.example.org' } });
    const setup_token = await server.app.accounts.setupToken();
    const answer = await server.anyone.post('/auth/register', { email: 'alice@example.org', password, setup_token });
    assert.match(answer.headers.getSetCookie()[0] ?? '', /; Secure/);
  });

  test('refuses missing and mistyped fields with one error, and passwords by their length', async () => {
    await using server = await startServer({ open });
    const email = 'alice@example.org';
    const wrong = [
      undefined,
      null,
      [],
      'x',
      {},
      { email },
      { password },
      { email: 7, password },
      { email, password: 7 },
    ];
    for (const body of [...wrong, { email: 'alice', password }, { email, password: '' }]) {
      const sent = typeof body === 'string' ? JSON.stringify(body) : body;
      const answer = await server.anyone.post('/auth/register', sent, { 'content-type': 'application/json' });
      assert.deepEqual([answer.status, answer.body], [422, both('email and password required')]);
    }
    const short = await server.anyone.post('/auth/register', { email, password: '1234567' });
    assert.deepEqual([short.status, short.body], [422, both('password_too_short')]);
    const long = await server.anyone.post('/auth/register', { email, password: 'é'.repeat(129) });
    assert.deepEqual([long.status, long.body], [422, both('password_too_long')]);
    const name = await server.anyone.post('/auth/register', { email, password, display_name: 'x'.repeat(81) });
    assert.deepEqual([name.status, Object.keys(name.body.errors)], [422, ['display_name']]);
    const invite = await server.anyone.post('/auth/register', { email, password, invite: 5 });
    assert.deepEqual([invite.status, Object.keys(invite.body.errors)], [422, ['invite']]);
  });

  test('reveals no more about an e-mail in use than that registration failed', async () => {
    await using server = await startServer({ open });
    await server.alice.signed();
    const answer = await server.anyone.post('/auth/register', { email: 'ALICE@example.org', password });
    assert.deepEqual([answer.status, answer.body], [422, both('registration_failed')]);
    assert.equal(answer.cookie('refresh_token'), undefined);
  });

  test('follows the registration mode, and always accepts the first account', async () => {
    await using server = await startServer({ open, config: { registration: 'invite_only' } });
    await server.alice.signed();
    const sent = { email: 'bob@example.org', password };
    const without = await server.anyone.post('/auth/register', sent);
    assert.deepEqual([without.status, without.body], [403, { error: 'invite_required' }]);
    const wrong = await server.anyone.post('/auth/register', { ...sent, invite: 'nv_inv_x' });
    assert.deepEqual([wrong.status, wrong.body], [403, { error: 'invite_invalid' }]);
    const invite = (await server.app.accounts.createInvite()).token;
    const right = await server.anyone.post('/auth/register', { ...sent, invite });
    assert.deepEqual([right.status, right.body.user.role], [201, 'member']);

    await using closed = await startServer({ open, config: { registration: 'closed' } });
    await closed.alice.signed();
    const refused = await closed.anyone.post('/auth/register', sent);
    assert.deepEqual([refused.status, refused.body], [403, { error: 'registration_closed' }]);
  });
});

onSqlite('GET /auth/bootstrap', (open) => {
  test('returns whether the first account is still missing, and who may register', async () => {
    await using server = await startServer({ open, config: { registration: 'invite_only' } });
    const before = await server.anyone.get('/auth/bootstrap');
    const mode = { registration_mode: 'invite_only', methods: ['password'], oidc: null };
    assert.deepEqual(before.body, { ...mode, bootstrap_pending: true, mail: false });
    await server.alice.signed();
    const after = await server.anyone.get('/auth/bootstrap');
    assert.deepEqual(after.body, { ...mode, bootstrap_pending: false, mail: false });
  });
});

onSqlite('the first account', (open) => {
  const first = { email: 'alice@example.org', password };

  test('needs the setup token, which is void afterwards', async () => {
    await using server = await startServer({ open, config: { registration: 'open' } });
    const register = (body: object) => server.anyone.post('/auth/register', body);
    const without = await register(first);
    assert.deepEqual([without.status, without.body], [403, { error: 'setup_token_required' }]);
    const wrong = await register({ ...first, setup_token: `nv_setup_${'A'.repeat(43)}` });
    assert.deepEqual([wrong.status, wrong.body], [403, { error: 'setup_token_invalid' }]);
    const setup_token = await server.app.accounts.setupToken();
    const made = await register({ ...first, setup_token });
    assert.deepEqual([made.status, made.body.user.role], [201, 'admin']);
    assert.equal(await server.app.accounts.setupToken(), null);
    const again = await register({ email: 'bob@example.org', password, setup_token });
    assert.deepEqual([again.status, again.body], [403, { error: 'setup_token_invalid' }]);
    assert.equal((await register({ email: 'bob@example.org', password })).body.user.role, 'member');
  });

  test('cannot be made without the token through a proxy with HTTP/1.0, its own Host and no forwarded header', async () => {
    await using server = await startServer({ open });
    const { port } = new URL(server.url);
    const body = JSON.stringify(first);
    const head = `POST /api/auth/register HTTP/1.0\r\nhost: 127.0.0.1:${port}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`;
    const socket = connect(Number(port), '127.0.0.1').end(head + body);
    assert.match(await text(socket), /^HTTP\/1\.[01] 403 [\s\S]*"setup_token_required"/);
  });
});

onSqlite('password routes', (open) => {
  test('POST /auth/password/change changes the password', async () => {
    await using server = await startServer({ open });
    const change = { old_password: server.alice.password, new_password: password };
    const { refreshToken } = await server.alice.signed();
    const other = await server.alice.logIn();
    const wrong = await server.alice.post('/auth/password/change', { ...change, old_password: 'x' });
    assert.deepEqual([wrong.status, wrong.body], [422, both('invalid_password')]);
    const short = await server.alice.post('/auth/password/change', { ...change, new_password: 'x' });
    assert.deepEqual([short.status, short.body], [422, both('password_too_short')]);
    const missing = await server.alice.post('/auth/password/change', { old_password: 'x' });
    assert.deepEqual([missing.status, missing.body], [422, { errors: { new_password: ['is required'] } }]);
    assert.equal((await server.anyone.post('/auth/password/change', change)).status, 401);
    const right = await server.alice.post('/auth/password/change', change);
    assert.deepEqual([right.status, right.body], [200, { ok: true }]);
    assert.equal((await server.anyone.post('/auth/refresh', undefined, cookieOf(refreshToken))).status, 200);
    assert.equal((await server.bearer(other.body.access_token).get('/me')).status, 401);
  });

  test('POST /auth/password/reset sets a new password with a reset token', async () => {
    await using server = await startServer({ open });
    await server.alice.signed();
    const token = await server.app.accounts.issueReset(server.alice.email);
    const unknown = await server.anyone.post('/auth/password/reset', { token: 'x', password });
    assert.deepEqual([unknown.status, unknown.body], [422, both('invalid_token')]);
    const short = await server.anyone.post('/auth/password/reset', { token, password: 'x' });
    assert.deepEqual([short.status, short.body], [422, both('password_too_short')]);
    const right = await server.anyone.post('/auth/password/reset', { token, password });
    assert.deepEqual([right.status, right.body], [200, { ok: true }]);
    const again = await server.anyone.post('/auth/password/reset', { token, password });
    assert.deepEqual([again.status, again.body], [422, both('invalid_token')]);
    assert.equal((await server.anyone.post('/auth/login', { email: server.alice.email, password })).status, 200);
  });
});

onSqlite('/me', (open) => {
  test('GET returns the whole user; without a credential 401 with a challenge', async () => {
    await using server = await startServer({ open });
    const { id } = await server.alice.signed();
    const { status, body } = await server.alice.get('/me');
    assert.equal(status, 200);
    assert.match(body.user.analytics_id, /^[0-9a-f]{64}$/);
    assert.deepEqual(
      { ...body.user, analytics_id: '' },
      {
        id,
        email: 'alice@example.org',
        display_name: null,
        role: 'admin',
        locale: null,
        analytics_id: '',
        analytics_opt_out: false,
      },
    );
    const none = await server.anyone.get('/me');
    const challenge = none.headers.get('www-authenticate') ?? '';
    assert.deepEqual([none.status, none.body], [401, { error: 'unauthorized' }]);
    assert.match(challenge, /^Bearer resource_metadata="[^"]+\/\.well-known\/oauth-protected-resource\/api\/mcp"$/);
    server.clock.advance({ minutes: 15 });
    const expired = await server.alice.get('/me');
    assert.equal(expired.status, 401);
    assert.match(expired.headers.get('www-authenticate') ?? '', /, error="invalid_token"$/);
  });

  test('PATCH changes only the fields sent', async () => {
    await using server = await startServer({ open });
    const named = await server.alice.patch('/me', { display_name: ' Алиса 😀 ', unknown: 1 });
    assert.deepEqual([named.status, named.body.user.display_name], [200, 'Алиса 😀']);
    const placed = await server.alice.patch('/me', { locale: 'PT-br', analytics_opt_out: true });
    const { display_name, locale, analytics_id, analytics_opt_out } = placed.body.user;
    assert.deepEqual([display_name, locale, analytics_id, analytics_opt_out], ['Алиса 😀', 'pt-BR', null, true]);
    assert.deepEqual((await server.alice.get('/me')).body, placed.body);
    assert.equal((await server.alice.patch('/me', { display_name: null })).body.user.display_name, null);
    assert.equal((await server.alice.patch('/me', { display_name: '😀'.repeat(80) })).status, 200);
  });

  test('PATCH refuses a long name and a bad locale by field', async () => {
    await using server = await startServer({ open });
    const wrong: [string, unknown][] = [
      ...([
        ['display_name', 'x'.repeat(81)],
        ['display_name', 7],
        ['display_name', 'a\u0000b'],
      ] as [string, unknown][]),
      ...([
        ['locale', 'x'],
        ['locale', 'en_GB'],
        ['locale', `en${'-abcdefgh'.repeat(4)}`],
      ] as [string, unknown][]),
      ['analytics_opt_out', 'true'],
    ];
    for (const [field, value] of wrong) {
      const { status, body } = await server.alice.patch('/me', { [field]: value });
      assert.deepEqual([status, Object.keys(body), Object.keys(body.errors)], [422, ['errors'], [field]]);
    }
  });

  test('DELETE needs the password, refuses the last admin, and erases any other account', async () => {
    await using server = await startServer({ open });
    await server.bob.post('/vaults', { name: 'Work' });
    for (const body of [undefined, {}, { password: '' }, { password: 7 }]) {
      const answer = await server.bob.delete('/me', body);
      assert.deepEqual([answer.status, answer.body], [400, { error: 'password_required' }]);
    }
    const wrong = await server.bob.delete('/me', { password });
    assert.deepEqual([wrong.status, wrong.body], [403, { error: 'invalid_password' }]);
    const last = await server.alice.delete('/me', { password: server.alice.password });
    assert.deepEqual([last.status, last.body], [409, { error: 'last_admin' }]);
    const right = await server.bob.delete('/me', { password: server.bob.password });
    assert.deepEqual([right.status, right.body], [200, { ok: true }]);
    assert.equal((await server.bob.get('/me')).status, 401);
    const login = await server.bob.logIn();
    assert.equal(login.status, 401);
  });
});
