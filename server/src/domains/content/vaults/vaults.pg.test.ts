import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEachEngine } from '../../../../test/kit/engines.ts';
import { advance, codeOf, errorOf, keyOf, openFixtures, signUp } from '../../../../test/kit/fixtures.ts';
import { builtinPlans, mergePlans } from '../../foundation/plans/plans.ts';
import type { Vault } from './opened-vault.ts';

const NOWHERE = '00000000-0000-7000-8000-000000000000';
const plans = mergePlans(builtinPlans, { free: { vaults_cap: 10, notes_cap: 10 } });

onEachEngine('creating vaults', (open) => {
  test('makes exactly one default of eight first vaults at once', async () => {
    const fixtures = await openFixtures(open);
    const alice = await signUp(fixtures, 'alice');
    await Promise.all(
      Array.from({ length: 8 }, (_, i) => fixtures.vaults.register(alice, { client_id: `device-${i}`, name: 'Vault' })),
    );
    const list = await fixtures.vaults.list(alice, { deleted: false });
    assert.equal(list.filter(({ isDefault }) => isDefault).length, 1);
    assert.deepEqual(list.map(({ slug }) => slug).sort(), ['vault', ...[2, 3, 4, 5, 6, 7, 8].map((n) => `vault-${n}`)]);
  });

  test('lets ten of fifty creates at once succeed against a cap of ten', async () => {
    const fixtures = await openFixtures(open, { plans, defaultPlan: 'free' });
    const alice = await signUp(fixtures, 'alice');
    const errors = await Promise.all(
      Array.from({ length: 50 }, () => errorOf(fixtures.vaults.create(alice, { name: 'Work' }))),
    );
    const refused = errors.filter((error) => error !== null);
    assert.equal(refused.length, 40);
    const details = {
      reason: 'vaults_cap_exceeded',
      limit_key: 'vaults_cap',
      tier: 'free',
      current: 10,
      limit: 10,
      upgrade_url: null,
    };
    for (const error of refused) assert.deepEqual([error.code, error.details], ['limit_exceeded', details]);
    assert.equal((await fixtures.vaults.list(alice, { deleted: false })).length, 10);
  });

  test('makes one vault of ten registrations of one client id at once, with the first name', async () => {
    const fixtures = await openFixtures(open);
    const alice = await signUp(fixtures, 'alice');
    const all = await Promise.all(
      Array.from({ length: 10 }, (_, i) => fixtures.vaults.register(alice, { client_id: 'laptop', name: `Name ${i}` })),
    );
    assert.equal(new Set(all.map(({ vault }) => vault.id)).size, 1);
    assert.equal(new Set(all.map(({ vault }) => vault.name)).size, 1);
    assert.deepEqual(all.map(({ status }) => status).sort(), ['created', ...Array(9).fill('existing')]);
  });

  test('makes different vaults for one client id of different users', async () => {
    const fixtures = await openFixtures(open);
    const [alice, bob] = [await signUp(fixtures, 'alice'), await signUp(fixtures, 'bob')];
    const hers = await fixtures.vaults.register(alice, { client_id: 'laptop', name: 'Notes' });
    const his = await fixtures.vaults.register(bob, { client_id: 'laptop', name: 'Notes' });
    assert.notEqual(hers.vault.id, his.vault.id);
    assert.deepEqual([his.status, his.vault.slug], ['created', 'notes']);
  });

  test('creating vaults with a key needs write on later vaults, and adopts only vaults it can access', async () => {
    const fixtures = await openFixtures(open);
    const { vaults } = fixtures;
    const alice = await signUp(fixtures, 'alice');
    const { vault } = await vaults.register(alice, { client_id: 'laptop', name: 'Notes' });
    const again = { client_id: 'laptop', name: 'Notes' };
    assert.equal(await codeOf(vaults.create(keyOf(alice, 'read'), { name: 'More' })), 'insufficient_access');
    assert.equal(
      await codeOf(vaults.register(keyOf(alice, 'read'), { ...again, client_id: 'x' })),
      'insufficient_access',
    );
    const blind = keyOf(alice, 'write', [[vault.id, 'none']]);
    assert.equal(await codeOf(vaults.register(blind, again)), 'insufficient_access');
    assert.equal((await vaults.register(keyOf(alice, 'none', [[vault.id, 'read']]), again)).status, 'existing');
    assert.equal((await vaults.register(blind, { ...again, client_id: 'x' })).status, 'created');
    assert.equal(await codeOf(vaults.register(blind, { client_id: ' ', name: 'x' })), 'register_params');
  });
});

onEachEngine('selecting a vault by X-Vault-ID', (open) => {
  test('accepts only active vaults of the user', async () => {
    const fixtures = await openFixtures(open);
    const { vaults } = fixtures;
    const [alice, bob] = [await signUp(fixtures, 'alice'), await signUp(fixtures, 'bob')];
    assert.equal(await codeOf(vaults.openVault(alice, undefined, 'read')), 'no_vault');
    const first = await vaults.create(alice, { name: 'One' });
    const second = await vaults.create(alice, { name: 'Two' });
    assert.equal((await vaults.openVault(alice, second.id.toUpperCase(), 'write')).id, second.id);
    assert.equal((await vaults.openVault(alice, undefined, 'write')).id, first.id);
    for (const header of ['', 'x', NOWHERE]) {
      assert.equal(await codeOf(vaults.openVault(alice, header, 'read')), 'vault_header_not_found');
    }
    assert.equal(await codeOf(vaults.openVault(bob, first.id, 'read')), 'vault_header_not_found');
    const found = vaults.findVault(first.id);
    assert.equal((await vaults.openVault(alice, first.id, 'read', found)).id, first.id);
    assert.equal(await codeOf(vaults.openVault(bob, first.id, 'read', found)), 'vault_header_not_found');
    await vaults.remove(alice, second.id);
    assert.equal(await codeOf(vaults.openVault(alice, second.id, 'read')), 'vault_header_not_found');
  });

  test('gives a key its only accessible vault, else the default one, at its level there', async () => {
    const fixtures = await openFixtures(open);
    const { vaults } = fixtures;
    const alice = await signUp(fixtures, 'alice');
    const first = await vaults.create(alice, { name: 'One' });
    const second = await vaults.create(alice, { name: 'Two' });
    const only = keyOf(alice, 'none', [[second.id, 'read']]);
    const opened = await vaults.openVault(only, undefined, 'read');
    assert.deepEqual([opened.id, opened.permission], [second.id, 'read']);
    const write = await errorOf(vaults.openVault(only, undefined, 'write'));
    assert.deepEqual([write?.code, write?.details], ['insufficient_access', { required: 'write' }]);
    assert.equal(await codeOf(vaults.openVault(only, first.id, 'read')), 'vault_no_access');
    assert.equal((await vaults.openVault(keyOf(alice, 'read'), undefined, 'read')).id, first.id);
    assert.equal(await codeOf(vaults.openVault(keyOf(alice, 'none'), undefined, 'read')), 'vault_no_access');
    const { scope: _, ...without } = only;
    assert.equal(await codeOf(vaults.openVault(without, second.id, 'read')), 'vault_no_access');
  });

  test('takes one statement, with and without a header', async () => {
    const fixtures = await openFixtures(open);
    const { db, vaults } = fixtures;
    const alice = await signUp(fixtures, 'alice');
    const { id } = await vaults.create(alice, { name: 'One' });
    await vaults.openVault(alice, id, 'read');
    let statements = 0;
    for (const method of ['get', 'all'] as const) {
      const run = db[method].bind(db) as (...args: unknown[]) => unknown;
      const counted = (...args: unknown[]) => {
        statements += 1;
        return run(...args);
      };
      Object.assign(db, { [method]: counted });
    }
    await vaults.openVault(alice, id, 'write');
    await vaults.openVault(alice, undefined, 'write');
    await vaults.openVault(keyOf(alice, 'read'), undefined, 'read');
    assert.equal(statements, 3);
  });
});

onEachEngine('writing to a vault', (open) => {
  test('hands out seqs to fifty writers at once, each once and without gaps', async () => {
    const fixtures = await openFixtures(open);
    const alice = await signUp(fixtures, 'alice');
    const { id } = await fixtures.vaults.create(alice, { name: 'One' });
    const taken = await Promise.all(Array.from({ length: 50 }, () => advance(fixtures, alice, id, 1, 2)));
    assert.deepEqual(
      taken.sort((a, b) => a - b),
      Array.from({ length: 50 }, (_, i) => 1 + 2 * i),
    );
    assert.equal((await fixtures.vaults.get(alice, id)).noteCount, 50);
  });

  test('counts the notes cap over all active vaults, also when they grow at once', async () => {
    const fixtures = await openFixtures(open, { plans, defaultPlan: 'free' });
    const { vaults } = fixtures;
    const alice = await signUp(fixtures, 'alice');
    const made: Vault[] = [];
    for (const name of ['One', 'Two', 'Three']) made.push(await vaults.create(alice, { name }));
    const errors = await Promise.all(
      Array.from({ length: 30 }, (_, i) => errorOf(advance(fixtures, alice, made[i % 3]?.id ?? '', 1))),
    );
    const refused = errors.filter((error) => error !== null);
    assert.equal(refused.length, 20);
    const details = {
      reason: 'notes_cap_exceeded',
      limit_key: 'notes_cap',
      tier: 'free',
      current: 10,
      limit: 10,
      upgrade_url: null,
    };
    assert.deepEqual(refused[0]?.details, details);
    const counts = (await vaults.list(alice, { deleted: false })).map(({ noteCount }) => noteCount);
    assert.equal(
      counts.reduce((sum, count) => sum + count),
      10,
    );
    // Edits and deletions are still possible at the cap.
    await advance(fixtures, alice, made[0]?.id ?? '', 0, 1);
    await advance(fixtures, alice, made.find((_, i) => counts[i] !== 0)?.id ?? '', -1, 1);
    await advance(fixtures, alice, made[0]?.id ?? '', 1);
  });

  test('is still capped after a restore', async () => {
    const fixtures = await openFixtures(open, { plans, defaultPlan: 'free' });
    const { vaults } = fixtures;
    const alice = await signUp(fixtures, 'alice');
    const first = await vaults.create(alice, { name: 'One' });
    await advance(fixtures, alice, first.id, 6);
    await vaults.remove(alice, first.id);
    const second = await vaults.create(alice, { name: 'Two' });
    await advance(fixtures, alice, second.id, 6);
    const error = await errorOf(vaults.restore(alice, first.id));
    assert.deepEqual([error?.code, error?.details.reason], ['limit_exceeded', 'notes_cap_exceeded']);
    await vaults.remove(alice, second.id);
    assert.equal((await vaults.restore(alice, first.id)).noteCount, 6);
  });

  test('is refused when the vault was deleted since it was opened', async () => {
    const fixtures = await openFixtures(open);
    const { db, vaults, hookCalls: options } = fixtures;
    const alice = await signUp(fixtures, 'alice');
    const { id } = await vaults.create(alice, { name: 'One' });
    const vault = await vaults.openVault(alice, id, 'write');
    const write = () => db.transact((handle) => vaults.advance(handle, vault, { seqs: 1, notes: 1 }));
    await vaults.remove(alice, id);
    assert.deepEqual(options.closed, [id]);
    assert.equal(await codeOf(write()), 'vault_header_not_found');
    await vaults.restore(alice, id);
    assert.equal(await write(), 1);
    await vaults.remove(alice, id);
    await vaults.purge(alice, id);
    assert.equal(await codeOf(write()), 'vault_header_not_found');
  });
});
