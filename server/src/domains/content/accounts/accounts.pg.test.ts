import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { UserId } from '@notevault/protocol/values/ids.ts';
import { onEachEngine } from '../../../../test/kit/engines.ts';
import { codeOf, openFixtures } from '../../../../test/kit/fixtures.ts';
import { statementsOver } from '../../../ports/database/statement.ts';
import type { AccountsTables } from './accounts.tables.ts';

const password = 'correct horse battery';
const alice = { email: 'alice@example.org', password };
const bob = { email: 'bob@example.org', password };
const { statement } = statementsOver<AccountsTables>();
const allUsers = statement((db, _: Record<never, never>) => db.selectFrom('users').select(['email', 'role']));
const activeAdmins = statement((db, _: Record<never, never>) =>
  db.selectFrom('users').select('id').where('role', '=', 'admin').where('suspended_at', 'is', null),
);
const callerOf = ({ id }: { readonly id: UserId }) => ({ userId: id, credentialId: '' });
const forgetUser = statement((db, p: { id: UserId }) => db.deleteFrom('users').where('id', '=', p.id));

onEachEngine('registering accounts', (open) => {
  for (const registration of ['open', 'invite_only', 'closed'] as const) {
    test(`lets one of eight first registrations with the token at once succeed, registration ${registration}`, async () => {
      const { accounts, db } = await openFixtures(open, { registration });
      const setup_token = await accounts.setupToken();
      const eight = Array.from({ length: 8 }, (_, i) =>
        accounts.register({ email: `p${i}@example.org`, password, setup_token }),
      );
      const codes = await Promise.all(eight.map(codeOf));
      assert.deepEqual(codes.sort(), [null, ...Array(7).fill('setup_token_invalid')]);
      assert.deepEqual(
        (await db.all(allUsers, {})).map(({ role }) => role),
        ['admin'],
      );
    });
  }

  test('lets one of eight registrations of one e-mail at once succeed, however the e-mail is written', async () => {
    const { accounts } = await openFixtures(open);
    await accounts.register(bob);
    const spellings = ['alice@example.org', ' Alice@Example.org', 'ALICE@EXAMPLE.ORG ', 'alice@example.org\n'];
    const codes = await Promise.all(
      [...spellings, ...spellings].map((email) => codeOf(accounts.register({ email, password }))),
    );
    assert.deepEqual(codes.sort(), [null, ...Array(7).fill('registration_failed')]);
  });

  test('accepts an invite once, for its e-mail, for a week', async () => {
    const { accounts, clock } = await openFixtures(open, { registration: 'invite_only' });
    await accounts.register(alice);
    const forBob = (await accounts.createInvite('Bob@example.org')).token;
    const late = (await accounts.createInvite()).token;
    assert.equal(
      await codeOf(accounts.register({ ...bob, email: 'carol@example.org', invite: forBob })),
      'invite_invalid',
    );
    assert.equal((await accounts.register({ ...bob, invite: forBob })).user.role, 'member');
    assert.equal(
      await codeOf(accounts.register({ ...bob, email: 'bob2@example.org', invite: forBob })),
      'invite_invalid',
    );
    clock.advance({ days: 7 });
    assert.equal(
      await codeOf(accounts.register({ email: 'dan@example.org', password, invite: late })),
      'invite_invalid',
    );
  });

  test('lets one of two registrations with one invite at once succeed', async () => {
    const { accounts } = await openFixtures(open, { registration: 'invite_only' });
    await accounts.register(alice);
    const invite = (await accounts.createInvite()).token;
    const both = [1, 2].map((i) => codeOf(accounts.register({ email: `p${i}@example.org`, password, invite })));
    assert.deepEqual((await Promise.all(both)).sort(), ['invite_invalid', null]);
  });

  test('leaves the invite unused when it refuses a registration', async () => {
    const { accounts } = await openFixtures(open, { registration: 'invite_only' });
    await accounts.register(alice);
    const invite = (await accounts.createInvite()).token;
    assert.equal(await codeOf(accounts.register({ ...alice, invite })), 'registration_failed');
    assert.equal(await codeOf(accounts.register({ ...bob, invite })), null);
  });

  test('is possible for the operator on a closed server; the first account becomes admin', async () => {
    const { accounts } = await openFixtures(open, { registration: 'closed' });
    assert.equal((await accounts.createUser('alice@example.org', password, 'member')).role, 'admin');
    assert.equal((await accounts.createUser('bob@example.org')).role, 'member');
    assert.equal(
      await codeOf(accounts.login({ email: 'bob@example.org', password: '' })),
      'email_and_password_required',
    );
    assert.equal(await codeOf(accounts.login(bob)), 'invalid_credentials');
    const token = await accounts.issueReset('BOB@example.org');
    await accounts.resetPassword({ token, password });
    assert.equal((await accounts.login(bob)).user.email, 'bob@example.org');
  });
});

onEachEngine('the admin operations on accounts', (open) => {
  test('suspend an account, whose sessions are refused until it is unsuspended', async () => {
    const { accounts, hookCalls } = await openFixtures(open);
    await accounts.register(alice);
    const { accessToken, refreshToken, user } = await accounts.register(bob);
    const principal = await accounts.authenticate(`Bearer ${accessToken}`);
    await accounts.setSuspended(bob.email, true);
    assert.equal(await codeOf(accounts.authenticate(`Bearer ${accessToken}`)), 'suspended');
    assert.equal(await accounts.recall(principal), null);
    assert.equal(await codeOf(accounts.refresh(refreshToken)), 'suspended');
    assert.equal(await codeOf(accounts.login(bob)), 'account_suspended');
    assert.equal(await codeOf(accounts.login({ ...bob, password: 'a wrong one' })), 'invalid_credentials');
    assert.equal(await codeOf(accounts.openSession(bob.email)), 'account_suspended');
    assert.deepEqual(hookCalls.credentialsChanged, [user.id]);
    await accounts.setSuspended(bob.email, false);
    await accounts.login(bob);
    await accounts.authenticate(`Bearer ${accessToken}`);
    await accounts.refresh(refreshToken);
  });

  test('leave one active admin of two who suspend, demote or delete each other at once', async () => {
    const { accounts, db } = await openFixtures(open);
    for (const how of ['suspend', 'demote', 'delete', 'delete oneself'] as const) {
      const [a, b] = [
        await accounts.createUser(`a-${how}@example.org`.replace(' ', '-'), password, 'admin'),
        await accounts.createUser(`b-${how}@example.org`.replace(' ', '-'), password, 'admin'),
      ];
      const end = (by: typeof a, who: typeof a) => {
        if (how === 'suspend') return accounts.updateUser(by.id, who.id, { suspended: true });
        if (how === 'demote') return accounts.updateUser(by.id, who.id, { role: 'member' });
        return how === 'delete'
          ? accounts.deleteUser(callerOf(by), who.id, password)
          : accounts.deleteMe(callerOf(by), password);
      };
      const codes = await Promise.all([codeOf(end(a, b)), codeOf(end(b, a))]);
      // The slower one is no admin any more, was the last one, or has been deleted before its password was looked up.
      assert.deepEqual(codes.filter((code) => code === null).length, 1, `${how}: ${codes}`);
      assert.ok(
        codes.some((code) =>
          ['admin_required', 'last_admin', ...(how === 'delete' ? ['unauthorized'] : [])].includes(`${code}`),
        ),
        `${how}: ${codes}`,
      );
      const active = (await db.all(activeAdmins, {})).length;
      assert.equal(active, 1, how);
      // The next pair must not be saved by the survivor of this one.
      const survivor = codes[0] === null ? (how === 'delete oneself' ? b : a) : how === 'delete oneself' ? a : b;
      const next = await accounts.createUser(`next-${how}@example.org`.replace(' ', '-'), password, 'admin');
      await accounts.deleteUser(callerOf(next), survivor.id, password);
      assert.equal(await codeOf(accounts.updateUser(next.id, next.id, { role: 'member' })), 'last_admin');
      assert.equal(await codeOf(accounts.setSuspended(next.email, true)), 'last_admin');
      assert.equal(await codeOf(accounts.deleteMe(callerOf(next), password)), 'last_admin');
      await db.transact((handle) => handle.run(forgetUser, { id: next.id }));
    }
  });

  test('set only existing plans', async () => {
    const { accounts } = await openFixtures(open);
    await accounts.register(alice);
    assert.equal((await accounts.setPlan('Alice@example.org', 'pro')).tier, 'pro');
    assert.equal(await codeOf(accounts.setPlan(alice.email, 'gold')), 'validation');
    assert.equal(await codeOf(accounts.setPlan('nobody@example.org', 'pro')), 'account_not_found');
  });

  test('open a session as the only account, or as the named one', async () => {
    const { accounts } = await openFixtures(open);
    assert.equal(await codeOf(accounts.openSession()), 'account_not_found');
    const { user } = await accounts.register(alice);
    assert.equal((await accounts.authenticate(`Bearer ${(await accounts.openSession()).token}`)).userId, user.id);
    await accounts.register(bob);
    assert.equal(await codeOf(accounts.openSession()), 'validation');
    assert.equal((await accounts.openSession('bob@example.org')).user.email, bob.email);
    assert.equal((await accounts.findByEmail('BOB@example.org')).email, bob.email);
  });
});

onEachEngine('profiles of accounts', (open) => {
  test('two profile updates of different fields at once keep both', async () => {
    const { accounts } = await openFixtures(open);
    const { user } = await accounts.register(alice);
    await Promise.all([
      accounts.updateMe(user.id, { display_name: '  Alice ' }),
      accounts.updateMe(user.id, { locale: 'zh-hANS-cn' }),
    ]);
    const { displayName, locale } = await accounts.me(user.id);
    assert.deepEqual({ displayName, locale }, { displayName: 'Alice', locale: 'zh-Hans-CN' });
  });

  test('the analytics id identifies one person, and is removed after opting out', async () => {
    const { accounts } = await openFixtures(open);
    const { user } = await accounts.register(alice);
    const other = await accounts.register(bob);
    assert.match(user.analyticsId ?? '', /^[0-9a-f]{64}$/);
    assert.notEqual(user.analyticsId, other.user.analyticsId);
    const out = await accounts.updateMe(user.id, { analytics_opt_out: true });
    assert.deepEqual([out.analyticsId, out.analyticsOptOut], [null, true]);
    const back = await accounts.updateMe(user.id, { analytics_opt_out: false });
    assert.equal(back.analyticsId, user.analyticsId);
  });
});

onEachEngine('deleting an account', (open) => {
  test('succeeds for only one of the two last admins at once', async () => {
    const { accounts } = await openFixtures(open);
    const admins = [
      await accounts.createUser('alice@example.org', password, 'admin'),
      await accounts.createUser('bob@example.org', password, 'admin'),
    ];
    const codes = await Promise.all(admins.map((admin) => codeOf(accounts.deleteMe(callerOf(admin), password))));
    assert.deepEqual(codes.sort(), ['last_admin', null]);
  });

  test('frees the e-mail, leaves no row and no key, and never makes another first account', async () => {
    const { accounts, vaults, keys, db } = await openFixtures(open);
    await accounts.register(alice);
    const { user, accessToken } = await accounts.register(bob);
    const principal = await accounts.authenticate(`Bearer ${accessToken}`);
    const vault = await vaults.create(principal, { name: 'Work' });
    await accounts.deleteMe(callerOf(user), password);
    assert.equal(await codeOf(accounts.authenticate(`Bearer ${accessToken}`)), 'unauthorized');
    assert.equal(await keys.open({ kind: 'user', id: user.id }), null);
    assert.equal(await keys.open({ kind: 'vault', id: vault.id }), null);
    assert.deepEqual(await db.all(allUsers, {}), [{ email: alice.email, role: 'admin' }]);
    assert.equal((await accounts.register(bob)).user.role, 'member');
  });

  test('is resumed after an interruption; meanwhile the account is unreachable', async () => {
    let broken = true;
    const purgeSlice = async () => {
      if (broken) throw new Error('the disk is away');
      return false;
    };
    const { accounts, vaults, keys, db } = await openFixtures(open, { purgeSlice });
    await accounts.register(alice);
    const { user, accessToken } = await accounts.register(bob);
    const principal = await accounts.authenticate(`Bearer ${accessToken}`);
    const vault = await vaults.create(principal, { name: 'Work' });
    assert.equal(await codeOf(accounts.deleteMe(callerOf(user), password)), 'delete_failed');
    assert.equal(await codeOf(accounts.authenticate(`Bearer ${accessToken}`)), 'unauthorized');
    assert.equal(await codeOf(accounts.login(bob)), 'invalid_credentials');
    assert.equal(await codeOf(vaults.create(principal, { name: 'More' })), 'unauthorized');
    assert.equal(await keys.open({ kind: 'vault', id: vault.id }), null);
    await assert.rejects(accounts.resumeDeletions(), AggregateError);
    broken = false;
    assert.equal(await accounts.resumeDeletions(), 1);
    assert.equal(await accounts.resumeDeletions(), 0);
    assert.equal((await db.all(allUsers, {})).length, 1);
  });
});
