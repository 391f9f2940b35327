import assert from 'node:assert/strict';
import { test } from 'node:test';
import { begin, DEVICE, decide, linked, poll, vaultOf } from '../../../../test/kit/clients/device-link.ts';
import type { Raw } from '../../../../test/kit/database/raw-sql.ts';
import { onSqlite, rawOf } from '../../../../test/kit/engines.ts';
import { checkedCallers } from '../../../../test/kit/openapi.ts';
import type { Caller } from '../../../../test/kit/person.ts';
import { oneServer, startServer } from '../../../../test/kit/server.ts';
import { builtinPlans } from '../../foundation/plans/plans.ts';

const pending = { error: 'authorization_pending' };
const notFound = [404, { error: 'code not found or expired' }];

const lookUp = async (person: Caller, code: string) =>
  (await person.get(`/vaults?user_code=${encodeURIComponent(code)}`)).body;

/** Every stored value, as text. */
async function cellsOf(raw: Raw): Promise<string[]> {
  const cells: string[] = [];
  for (const table of await raw.tables()) {
    for (const row of await raw.all(`select * from ${table}`)) {
      for (const value of Object.values(row))
        cells.push(Buffer.isBuffer(value) ? value.toString('latin1') : String(value));
    }
  }
  return cells;
}

/** Alice in a new session, because the first one does not last an hour. */
onSqlite('a device link', (open) => {
  const start = oneServer(() => ({ open }));

  test('goes from a code to tokens that can write in the chosen vault only', async () => {
    await using server = await startServer({ open, config: { publicUrl: 'https://notes.example' } });
    const checked = await checkedCallers(server);
    const [anyone, alice] = [checked(server.anyone), checked(server.alice)];
    const [home, other] = [await vaultOf(alice), await vaultOf(alice, 'Other')];
    const names = { client_id: 'pad-plugin', vault_name: 'Notes', device_name: 'My pad' };
    const started = await anyone.post('/auth/device', names);
    const { device_code, user_code, ...rest } = started.body;
    assert.match(user_code, /^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/);
    assert.deepEqual(rest, {
      verification_url: 'https://notes.example/link',
      verification_uri: 'https://notes.example/link',
      verification_uri_complete: `https://notes.example/link?code=${user_code}`,
      expires_in: 300,
      interval: 5,
    });
    const waiting = await anyone.post('/auth/device/token', { device_code });
    assert.deepEqual([waiting.status, waiting.body], [400, pending]);
    const shown = await lookUp(alice, user_code);
    assert.equal(shown.user_code_valid, true);
    assert.deepEqual([shown.suggested_vault_name, shown.suggested_device_name], ['Notes', 'My pad']);
    const decided = await decide(alice, user_code, { vault_id: home });
    assert.deepEqual([decided.status, decided.body], [200, { ok: true, vault_id: home }]);

    const given = await anyone.post('/auth/device/token', { device_code }, DEVICE);
    const { access_token, refresh_token, ...said } = given.body;
    assert.deepEqual([given.status, given.headers.get('cache-control')], [200, 'no-store']);
    assert.deepEqual(said, {
      token_type: 'Bearer',
      expires_in: 900,
      vault_id: home,
      user_email: 'alice@example.org',
    });
    assert.match(access_token, /^nv_dev_[\w-]{43}$/);
    assert.match(refresh_token, /^nv_dvr_/);

    const device = checked(server.bearer(access_token));
    const note = { path: 'A.md', content: 'from the pad', mtime: 1 };
    assert.equal((await device.post('/notes', note)).status, 200);
    assert.equal((await alice.get('/notes/A.md', { 'x-vault-id': home })).body.content, 'from the pad');
    const elsewhere = await device.post('/notes', note, { 'x-vault-id': other });
    assert.deepEqual([elsewhere.status, elsewhere.body.error], [403, 'API key does not have access to this vault']);
    assert.deepEqual(
      (await device.get('/vaults')).body.vaults.map(({ id }: { id: string }) => id),
      [home],
    );
    assert.equal((await device.post('/vaults', { name: 'Mine' })).status, 403);
    assert.equal((await device.get('/connections')).body.error, 'api_key_not_allowed');
    assert.equal((await decide(device, user_code, { vault_id: home })).body.error, 'api_key_not_allowed');

    const [row] = (await alice.get('/connections')).body;
    assert.deepEqual(
      { ...row, connected_at: '', client_id: '' },
      {
        kind: 'device',
        client_id: '',
        key_id: null,
        name: 'My pad',
        scope: null,
        slug: null,
        logo: null,
        software_id: 'pad-plugin',
        software_version: null,
        connected_at: '',
        last_used_at: '2026-01-15T12:00:00.000Z',
        first_ip: '127.0.0.1',
        first_user_agent: 'Pad/1.0',
        vault_id: home,
        vault_name: 'Home',
        verified: null,
        redirect_uri: null,
        redirect_uris: null,
        cimd_url: null,
      },
    );
  });

  test('accepts codes without regard to case, hyphens and spaces', async () => {
    await using server = await start();
    const { user_code } = await begin(server);
    const typed = [user_code.toLowerCase(), user_code.replace('-', ''), ` ${user_code.split('').join(' ')} `];
    for (const code of [...typed, user_code.replace('-', '–')]) {
      assert.equal((await lookUp(server.alice, code)).user_code_valid, true, code);
    }
    assert.equal((await decide(server.alice, typed[2] ?? '', { vault_id: 'new' })).status, 200);
  });

  test('belongs to the first account that looks its code up', async () => {
    await using server = await start();
    const { user_code } = await begin(server, { device_name: 'Pad' });
    const vault = await vaultOf(server.bob);
    assert.equal((await lookUp(server.alice, user_code)).user_code_valid, true);
    const seen = await lookUp(server.bob, user_code);
    assert.deepEqual(
      [seen.user_code_valid, seen.suggested_vault_name, seen.suggested_device_name],
      [false, null, null],
    );
    const answer = await decide(server.bob, user_code, { vault_id: vault });
    assert.deepEqual([answer.status, answer.body], notFound);
    assert.equal((await decide(server.alice, user_code, { vault_id: 'new' })).status, 200);
  });

  test('can be looked up only with a session', async () => {
    await using server = await start();
    const { access_token } = await linked(server);
    const { user_code } = await begin(server);
    assert.equal('user_code_valid' in (await lookUp(server.bearer(access_token), user_code)), false);
    assert.equal((await lookUp(server.bob, user_code)).user_code_valid, true);
  });

  test('refuses an account all codes after ten wrong ones for an hour, and no other account', async () => {
    await using server = await start();
    const { alice, bob, clock } = server;
    for (let i = 0; i < 9; i++) await lookUp(alice, `BBBB-BBB${'BCDFGHJKL'[i]}`);
    const { user_code } = await begin(server);
    assert.equal((await lookUp(alice, user_code)).user_code_valid, true, 'nine are forgiven');
    assert.deepEqual((await decide(alice, 'nonsense', { vault_id: 'new' })).status, 404);
    assert.equal((await lookUp(alice, user_code)).user_code_valid, false);
    const answer = await decide(alice, user_code, { vault_id: 'new' });
    assert.deepEqual([answer.status, answer.body], notFound);
    const second = await begin(server);
    assert.equal((await lookUp(bob, second.user_code)).user_code_valid, true);
    clock.advance({ minutes: 60, ms: -1 });
    const later = server.bearer((await server.alice.logIn()).body.access_token);
    assert.equal((await lookUp(later, (await begin(server)).user_code)).user_code_valid, false);
    clock.advance({ ms: 1 });
    assert.equal((await lookUp(later, (await begin(server)).user_code)).user_code_valid, true);
  });

  test('counts concurrent wrong codes, but not a code of the account itself', async () => {
    await using server = await start();
    const { alice } = server;
    const used = await begin(server);
    await decide(alice, used.user_code, { vault_id: 'new' });
    for (let i = 0; i < 12; i++) assert.equal((await lookUp(alice, used.user_code)).user_code_valid, false);
    const { user_code } = await begin(server);
    assert.equal((await lookUp(alice, user_code)).user_code_valid, true);
    await Promise.all(Array.from({ length: 10 }, () => lookUp(alice, 'ZZZZ-ZZZZ')));
    assert.equal((await lookUp(alice, user_code)).user_code_valid, false);
  });

  test('slows down devices that poll too often, by five more seconds each time', async () => {
    await using server = await start();
    const { device_code, user_code } = await begin(server);
    const next = async (seconds: number) => {
      server.clock.advance({ seconds });
      const { status, body } = await poll(server, device_code);
      assert.equal(status, 400);
      return body.error;
    };
    assert.equal(await next(0), 'authorization_pending');
    assert.equal(await next(4), 'slow_down');
    assert.equal(await next(9), 'slow_down');
    assert.equal(await next(15), 'authorization_pending');
    assert.equal(await next(14), 'slow_down');
    assert.equal(await next(20), 'authorization_pending');
    await decide(server.alice, user_code, { vault_id: 'new' });
    assert.equal((await poll(server, device_code)).status, 200, 'once let in, nobody waits');
  });

  test('expires after five minutes, whatever was decided', async () => {
    await using server = await start();
    const [waiting, given, refused] = [await begin(server), await begin(server), await begin(server)];
    await decide(server.alice, given.user_code, { vault_id: 'new' });
    await decide(server.alice, refused.user_code, { deny: true });
    server.clock.advance({ seconds: 300 });
    for (const { device_code } of [waiting, given, refused, { device_code: 'nv_dvc_unknown' }]) {
      const answer = await poll(server, device_code);
      assert.deepEqual([answer.status, answer.body], [410, { error: 'expired_or_invalid' }]);
    }
    assert.equal((await lookUp(server.alice, waiting.user_code)).user_code_valid, false);
    assert.equal((await decide(server.alice, waiting.user_code, { vault_id: 'new' })).status, 404);
    await server.app.devices.sweep();
    await using raw = await rawOf(server.db);
    assert.deepEqual(await raw.all('select * from device_authorizations'), []);
  });

  test('is decided once and returns tokens once', async () => {
    await using server = await start();
    const { device_code, user_code } = await begin(server);
    const both = await Promise.all([1, 2].map(() => decide(server.alice, user_code, { vault_id: 'new' })));
    assert.deepEqual(both.map(({ status }) => status).sort(), [200, 404]);
    assert.equal((await server.alice.get('/vaults')).body.vaults.length, 1, 'two decisions at once make one vault');
    const polls = await Promise.all([1, 2, 3].map(() => poll(server, device_code)));
    assert.deepEqual(polls.map(({ status }) => status).sort(), [200, 410, 410]);
    assert.equal((await lookUp(server.alice, user_code)).user_code_valid, false);
  });

  test('can be refused by the person', async () => {
    await using server = await start();
    const { device_code, user_code } = await begin(server);
    const answer = await decide(server.alice, user_code, { deny: true });
    assert.deepEqual([answer.status, answer.body], [200, { ok: true, vault_id: null }]);
    for (let i = 0; i < 2; i++) {
      const { status, body } = await poll(server, device_code);
      assert.deepEqual([status, body], [400, { error: 'access_denied' }]);
    }
    assert.equal((await decide(server.alice, user_code, { vault_id: 'new' })).status, 404);
  });

  test('creates a vault with the given, suggested or default name, within the cap', async () => {
    const plans = { ...builtinPlans, few: { ...builtinPlans.self_hosted, vaults_cap: 3 } };
    await using server = await startServer({ open, config: { plans, defaultPlan: 'few' } });
    const make = async (names: object, more: object) => {
      const link = await begin(server, names);
      return decide(server.alice, link.user_code, { vault_id: 'new', ...more });
    };
    await make({ vault_name: 'Suggested' }, { vault_name: 'Given' });
    await make({ vault_name: ' Suggested ' }, { vault_name: ' ' });
    await make({}, {});
    const named = (await server.alice.get('/vaults')).body.vaults.map(({ name }: { name: string }) => name);
    assert.deepEqual(named, ['Given', 'Suggested', 'Vault']);
    const { device_code, user_code } = await begin(server);
    const full = await decide(server.alice, user_code, { vault_id: 'new' });
    assert.deepEqual([full.status, full.body.reason], [402, 'vaults_cap_exceeded']);
    const first = (await server.alice.get('/vaults')).body.vaults[0].id;
    assert.equal((await decide(server.alice, user_code, { vault_id: first })).status, 200, 'the code is still good');
    assert.equal((await poll(server, device_code)).body.vault_id, first);
  });

  test('is possible only for active vaults of the account', async () => {
    await using server = await start();
    const [foreign, gone] = [await vaultOf(server.bob), await vaultOf(server.alice)];
    await server.alice.delete(`/vaults/${gone}`);
    const { user_code } = await begin(server);
    for (const vault_id of [foreign, gone, 'x', '', '018f0000-0000-7000-8000-000000000000']) {
      const answer = await decide(server.alice, user_code, { vault_id });
      assert.deepEqual([answer.status, answer.body], [403, { error: 'vault not found or not owned by user' }]);
    }
    const wrong = [{}, { vault_id: 7 }, { vault_id: 'new', vault_name: 7 }, { deny: 'yes' }];
    for (const body of wrong) assert.equal((await decide(server.alice, user_code, body)).status, 422);
    assert.equal((await server.alice.post('/auth/device/authorize', { vault_id: 'new' })).status, 422);
    assert.equal((await server.anyone.post('/auth/device', { device_name: 7 })).status, 422);
    assert.equal((await server.anyone.post('/auth/device')).status, 200);
  });

  test('stores all names sealed, and suggested ones only until the tokens are issued', async () => {
    await using server = await start();
    const names = { client_id: 'quibbleclient', vault_name: 'Quibblevault', device_name: 'Quibblename' };
    const link = await begin(server, names);
    await using raw = await rawOf(server.db);
    const words = async () => (await cellsOf(raw)).filter((cell) => cell.includes('uibble'));
    assert.deepEqual(await words(), []);
    await decide(server.alice, link.user_code, { deny: true });
    server.clock.advance({ minutes: 5 });
    await server.app.devices.sweep();
    const given = await begin(server, names);
    await decide(server.alice, given.user_code, { vault_id: 'new', vault_name: 'Home' });
    const tokens = (await poll(server, given.device_code)).body;
    assert.deepEqual(await raw.all('select * from device_authorizations'), []);
    assert.deepEqual(await words(), []);
    assert.equal((await server.alice.get('/connections')).body[0].name, 'Quibblename');
    const secrets = [tokens.access_token, tokens.refresh_token, given.device_code, given.user_code];
    for (const cell of await cellsOf(raw)) assert.ok(!secrets.some((secret) => cell.includes(secret)), cell);
  });

  test('is rate-limited by address where codes are created and tried, and by its interval where it is polled', async () => {
    await using server = await startServer({ open, config: { authRateLimit: 3 } });
    const { device_code } = await begin(server);
    for (let i = 0; i < 12; i++) assert.equal((await poll(server, device_code)).status, 400);
    for (let i = 0; i < 2; i++) await begin(server);
    const answer = await server.anyone.post('/auth/device', {});
    assert.deepEqual([answer.status, answer.body], [429, { error: 'rate_limited' }]);
  });
});
