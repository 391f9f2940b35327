import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEachEngine } from '../../../../../test/kit/engines.ts';
import { codeOf, openFixtures } from '../../../../../test/kit/fixtures.ts';
import { statementsOver } from '../../../../ports/database/statement.ts';
import type { AccountsTables } from '../accounts.tables.ts';

const password = 'correct horse battery';
const alice = { email: 'alice@example.org', password };
const { statement } = statementsOver<AccountsTables>();
const allHashes = statement((db, _: Record<never, never>) =>
  db
    .selectFrom('access_tokens as a')
    .innerJoin('refresh_tokens as r', 'r.session_id', 'a.session_id')
    .select(['a.hash as access', 'r.hash as refresh', 'r.sealed as sealed']),
);

onEachEngine('sessions of an account', (open) => {
  test('an access token works for fifteen minutes and is not stored', async () => {
    const { accounts, clock, db } = await openFixtures(open);
    const { accessToken, refreshToken, user } = await accounts.register(alice);
    assert.match(accessToken, /^nv_ses_[\w-]{43}$/);
    const [row] = await db.all(allHashes, {});
    const stored = Buffer.concat([row?.access ?? Buffer.of(), row?.refresh ?? Buffer.of(), row?.sealed ?? Buffer.of()]);
    assert.ok(
      !stored.includes(accessToken) && !stored.includes(refreshToken) && !stored.includes(refreshToken.slice(-43)),
    );
    clock.advance({ minutes: 15, ms: -1 });
    assert.equal((await accounts.authenticate(`bearer ${accessToken}`)).userId, user.id);
    clock.advance({ ms: 1 });
    assert.equal(await codeOf(accounts.authenticate(`Bearer ${accessToken}`)), 'unauthorized');
  });

  test('invalid access tokens are all refused with the same error', async () => {
    const { accounts } = await openFixtures(open);
    const { refreshToken } = await accounts.register(alice);
    const sent = [
      undefined,
      '',
      'Bearer',
      'Bearer ',
      `Bearer ${refreshToken}`,
      'Basic YTpi',
      'Bearer nv_ses_',
      'Bearer nv_ses_x',
    ];
    for (const header of sent) assert.equal(await codeOf(accounts.authenticate(header)), 'unauthorized');
  });

  test('a refresh token is rotated, and the previous one gets the same successor for thirty seconds', async () => {
    const { accounts, clock } = await openFixtures(open);
    const first = await accounts.register(alice);
    const second = await accounts.refresh(first.refreshToken);
    assert.notEqual(second.refreshToken, first.refreshToken);
    clock.advance({ seconds: 30 });
    const again = await accounts.refresh(first.refreshToken);
    assert.equal(again.refreshToken, second.refreshToken);
    for (const { accessToken } of [first, second, again]) await accounts.authenticate(`Bearer ${accessToken}`);
  });

  test('within the grace period even a token rotated twice gets the current one', async () => {
    const { accounts } = await openFixtures(open);
    const first = await accounts.register(alice);
    const second = await accounts.refresh(first.refreshToken);
    const third = await accounts.refresh(second.refreshToken);
    assert.equal((await accounts.refresh(first.refreshToken)).refreshToken, third.refreshToken);
  });

  test('a session that is not remembered ends a day after its last use', async () => {
    const { accounts, clock } = await openFixtures(open);
    await accounts.register(alice);
    const brief = await accounts.login({ ...alice, remember: false });
    const lasting = await accounts.login(alice);
    clock.advance({ minutes: 23 * 60 });
    const refreshed = await accounts.refresh(brief.refreshToken);
    clock.advance({ minutes: 24 * 60 });
    assert.equal(await codeOf(accounts.refresh(refreshed.refreshToken)), 'invalid_refresh_token');
    await accounts.refresh(lasting.refreshToken);
  });

  test('reuse of a refresh token after the grace period revokes the whole family and no other', async () => {
    const { accounts, clock, hookCalls: options } = await openFixtures(open);
    const first = await accounts.register(alice);
    const other = await accounts.login(alice);
    const second = await accounts.refresh(first.refreshToken);
    clock.advance({ seconds: 30, ms: 1 });
    assert.equal(await codeOf(accounts.refresh(first.refreshToken)), 'invalid_refresh_token');
    assert.equal(await codeOf(accounts.refresh(second.refreshToken)), 'invalid_refresh_token');
    assert.equal(await codeOf(accounts.authenticate(`Bearer ${second.accessToken}`)), 'unauthorized');
    await accounts.authenticate(`Bearer ${other.accessToken}`);
    assert.deepEqual(options.credentialsChanged, [first.user.id]);
  });

  test('reuse of a refresh token that is no longer stored still revokes its family', async () => {
    const { accounts, clock } = await openFixtures(open);
    const first = await accounts.register(alice);
    let last = first.refreshToken;
    for (let i = 0; i < 3; i++) {
      clock.advance({ minutes: 15 });
      last = (await accounts.refresh(last)).refreshToken;
    }
    assert.equal(await codeOf(accounts.refresh(first.refreshToken)), 'invalid_refresh_token');
    assert.equal(await codeOf(accounts.refresh(last)), 'invalid_refresh_token');
  });

  test('ten refreshes of one token at once all succeed, with one successor', async () => {
    const { accounts } = await openFixtures(open);
    const { refreshToken } = await accounts.register(alice);
    const ten = await Promise.all(Array.from({ length: 10 }, () => accounts.refresh(refreshToken)));
    assert.equal(new Set(ten.map((tokens) => tokens.refreshToken)).size, 1);
    assert.equal(new Set(ten.map((tokens) => tokens.accessToken)).size, 10);
    for (const { accessToken } of ten) await accounts.authenticate(`Bearer ${accessToken}`);
  });

  test('a session stays valid while it is refreshed within thirty days', async () => {
    const { accounts, clock } = await openFixtures(open);
    let { refreshToken } = await accounts.register(alice);
    for (let i = 0; i < 3; i++) {
      clock.advance({ days: 29 });
      ({ refreshToken } = await accounts.refresh(refreshToken));
    }
    clock.advance({ days: 30 });
    assert.equal(await codeOf(accounts.refresh(refreshToken)), 'invalid_refresh_token');
  });

  test('a logout ends the session of the cookie or the access token, and no other', async () => {
    const { accounts } = await openFixtures(open);
    const one = await accounts.register(alice);
    const two = await accounts.login(alice);
    const three = await accounts.login(alice);
    await accounts.logout(one.refreshToken, null);
    await accounts.logout(undefined, `Bearer ${two.accessToken}`);
    await accounts.logout(undefined, null);
    await accounts.logout('nonsense', 'Bearer nonsense');
    assert.equal(await codeOf(accounts.authenticate(`Bearer ${one.accessToken}`)), 'unauthorized');
    assert.equal(await codeOf(accounts.refresh(one.refreshToken)), 'invalid_refresh_token');
    assert.equal(await codeOf(accounts.authenticate(`Bearer ${two.accessToken}`)), 'unauthorized');
    await accounts.authenticate(`Bearer ${three.accessToken}`);
  });

  test('authenticating a token runs one statement', async () => {
    const { accounts, db } = await openFixtures(open);
    const { accessToken } = await accounts.register(alice);
    const get = db.get.bind(db);
    let statements = 0;
    const counted: typeof get = (...args) => {
      statements += 1;
      return get(...args);
    };
    Object.assign(db, { get: counted });
    await accounts.authenticate(`Bearer ${accessToken}`);
    assert.equal(statements, 1);
  });
});

onEachEngine('passwords of an account', (open) => {
  test('a password change keeps the session that made it and ends the others', async () => {
    const { accounts } = await openFixtures(open);
    const kept = await accounts.register(alice);
    const other = await accounts.login(alice);
    const caller = await accounts.authenticate(`Bearer ${kept.accessToken}`);
    const change = { old_password: password, new_password: 'another password' };
    assert.equal(
      await codeOf(accounts.changePassword(caller, { ...change, old_password: 'wrong' })),
      'wrong_old_password',
    );
    assert.equal(
      await codeOf(accounts.changePassword(caller, { ...change, new_password: 'short' })),
      'password_too_short',
    );
    await accounts.changePassword(caller, change);
    await accounts.authenticate(`Bearer ${kept.accessToken}`);
    await accounts.refresh(kept.refreshToken);
    assert.equal(await codeOf(accounts.refresh(other.refreshToken)), 'invalid_refresh_token');
    assert.equal(await codeOf(accounts.login(alice)), 'invalid_credentials');
    await accounts.login({ ...alice, password: 'another password' });
  });

  test('one of two password changes at once succeeds', async () => {
    const { accounts } = await openFixtures(open);
    const { accessToken } = await accounts.register(alice);
    const caller = await accounts.authenticate(`Bearer ${accessToken}`);
    const both = ['first new one', 'second new one'].map((new_password) =>
      codeOf(accounts.changePassword(caller, { old_password: password, new_password })),
    );
    assert.deepEqual((await Promise.all(both)).sort(), [null, 'wrong_old_password'].sort());
  });

  test('a password reset works once, for an hour, and ends every session; a newer one replaces it', async () => {
    const { accounts, clock } = await openFixtures(open);
    const old = await accounts.register(alice);
    const replaced = await accounts.issueReset(alice.email);
    const token = await accounts.issueReset(alice.email);
    const reset = { token, password: 'another password' };
    assert.equal(await codeOf(accounts.resetPassword({ ...reset, token: replaced })), 'invalid_reset_token');
    clock.advance({ minutes: 60, ms: -1 });
    const both = await Promise.all([codeOf(accounts.resetPassword(reset)), codeOf(accounts.resetPassword(reset))]);
    assert.deepEqual(both.sort(), ['invalid_reset_token', null]);
    assert.equal(await codeOf(accounts.refresh(old.refreshToken)), 'invalid_refresh_token');
    const late = await accounts.issueReset(alice.email);
    clock.advance({ hours: 1 });
    assert.equal(await codeOf(accounts.resetPassword({ ...reset, token: late })), 'invalid_reset_token');
    assert.equal(await codeOf(accounts.issueReset('nobody@example.org')), 'account_not_found');
  });
});
