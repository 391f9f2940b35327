import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEachEngine } from '../../../../test/kit/engines.ts';
import { advance, codeOf, type Fixtures, keyOf, openFixtures, signUp } from '../../../../test/kit/fixtures.ts';
import { statementsOver } from '../../../ports/database/statement.ts';
import type { VaultsTables } from './vaults.tables.ts';

const { statement } = statementsOver<VaultsTables>();
const findAllRows = statement((db, _: Record<never, never>) => db.selectFrom('vaults').selectAll());

const NOWHERE = '00000000-0000-7000-8000-000000000000';

onEachEngine('changing vaults', (open) => {
  test('changing vaults with a new name makes a new slug, for which its own old slug is no obstacle', async () => {
    const fixtures = await openFixtures(open);
    const { vaults } = fixtures;
    const alice = await signUp(fixtures, 'alice');
    await vaults.create(alice, { name: 'Work' });
    const second = await vaults.create(alice, { name: 'work!', description: 'Mine' });
    assert.equal(second.slug, 'work-2');
    assert.equal((await vaults.update(alice, second.id, { name: 'WORK' })).slug, 'work-2');
    const renamed = await vaults.update(alice, second.id, { name: 'Home' });
    assert.deepEqual([renamed.name, renamed.slug, renamed.description], ['Home', 'home', 'Mine']);
    assert.equal((await vaults.update(alice, second.id, { description: null })).description, null);
    assert.equal((await vaults.create(alice, { name: 'Work' })).slug, 'work-2');
  });

  test('moves the default and never just removes it; deleting it promotes the oldest vault left', async () => {
    const fixtures = await openFixtures(open);
    const { vaults, clock } = fixtures;
    const alice = await signUp(fixtures, 'alice');
    const made = [];
    for (const name of ['One', 'Two', 'Three']) {
      made.push((await vaults.create(alice, { name, is_default: name === 'Two' })).id);
      clock.advance({ seconds: 1 });
    }
    const [one = '', two = '', three = ''] = made;
    const defaults = async () =>
      (await vaults.list(alice, { deleted: false })).filter((vault) => vault.isDefault).map(({ id }) => id);
    assert.deepEqual(await defaults(), [two]);
    assert.equal(await codeOf(vaults.update(alice, two, { is_default: false })), 'validation');
    await vaults.update(alice, three, { is_default: true });
    assert.deepEqual(await defaults(), [three]);
    await vaults.remove(alice, three);
    assert.deepEqual(await defaults(), [one]);
    assert.equal((await vaults.restore(alice, three)).isDefault, false);
    await Promise.all([vaults.remove(alice, one), vaults.remove(alice, two)]);
    assert.deepEqual(await defaults(), [three]);
    await Promise.all(made.slice(0, 2).map((id) => vaults.restore(alice, id)));
    await Promise.all(made.map((id) => vaults.update(alice, id, { is_default: true })));
    assert.equal((await defaults()).length, 1);
  });

  test('restoring a vault makes it default only if there is none; slug and client id return only if free', async () => {
    const fixtures = await openFixtures(open);
    const { vaults } = fixtures;
    const alice = await signUp(fixtures, 'alice');
    const old = await vaults.register(alice, { client_id: 'laptop', name: 'Work' });
    await vaults.remove(alice, old.vault.id);
    const next = await vaults.register(alice, { client_id: 'laptop', name: 'Work' });
    assert.deepEqual([next.status, next.vault.slug, next.vault.isDefault], ['created', 'work', true]);
    const restored = await vaults.restore(alice, old.vault.id);
    assert.deepEqual([restored.slug, restored.isDefault, restored.deletedAt], ['work-2', false, null]);
    assert.equal((await vaults.register(alice, { client_id: 'laptop', name: 'x' })).vault.id, next.vault.id);
    await vaults.remove(alice, next.vault.id);
    await vaults.remove(alice, old.vault.id);
    const alone = await vaults.restore(alice, next.vault.id);
    assert.deepEqual([alone.slug, alone.isDefault], ['work', true]);
    assert.equal((await vaults.register(alice, { client_id: 'laptop', name: 'x' })).vault.id, next.vault.id);
  });

  test('changing vaults with a key needs write on the vault, and inaccessible vaults do not exist', async () => {
    const fixtures = await openFixtures(open);
    const { vaults, hookCalls: options } = fixtures;
    const [alice, bob] = [await signUp(fixtures, 'alice'), await signUp(fixtures, 'bob')];
    const { id } = await vaults.create(alice, { name: 'One' });
    const [reader, stranger] = [keyOf(alice, 'read'), keyOf(alice, 'write', [[id, 'none']])];
    assert.equal((await vaults.get(reader, id)).id, id);
    assert.deepEqual(options.opened, [id]);
    for (const work of [vaults.update(reader, id, { name: 'x' }), vaults.remove(reader, id)]) {
      assert.equal(await codeOf(work), 'insufficient_access');
    }
    for (const who of [stranger, bob]) {
      assert.equal(await codeOf(vaults.get(who, id)), 'vault_not_found');
      assert.equal(await codeOf(vaults.update(who, id, { name: 'x' })), 'vault_not_found');
      assert.equal(await codeOf(vaults.remove(who, id)), 'vault_not_found');
      assert.deepEqual(await vaults.list(who, { deleted: false }), []);
    }
    assert.equal(await codeOf(vaults.update(reader, NOWHERE, { name: 'x' })), 'vault_not_found');
    assert.equal(await codeOf(vaults.restore(bob, id)), 'vault_not_found');
    assert.equal(await codeOf(vaults.purge(bob, id)), 'vault_not_found');
  });

  test('stores no name, slug or description in clear', async () => {
    const fixtures = await openFixtures(open);
    const alice = await signUp(fixtures, 'alice');
    const sent = { client_id: 'secret-client', name: 'Secret Name' };
    const { vault } = await fixtures.vaults.register(alice, sent);
    await fixtures.vaults.update(alice, vault.id, { description: 'Secret words' });
    const values = (await fixtures.db.all(findAllRows, {})).flatMap((row) => Object.values(row));
    const stored = values.map((value) => (Buffer.isBuffer(value) ? value.toString('latin1') : String(value))).join(' ');
    assert.match(stored, new RegExp(vault.id));
    assert.doesNotMatch(stored, /secret/i);
  });
});

onEachEngine('purging vaults', (open) => {
  test('keeps a deleted vault for thirty days; then its owner cannot see it, and soon it is erased', async () => {
    const fixtures = await openFixtures(open);
    const { vaults, clock, hookCalls: options, keys } = fixtures;
    const alice = await signUp(fixtures, 'alice');
    const { id } = await vaults.create(alice, { name: 'One' });
    await advance(fixtures, alice, id, 3);
    await vaults.remove(alice, id);
    const deletedAt = clock.now();
    clock.advance({ days: 30, ms: -1 });
    assert.equal(await vaults.purgeDue(clock.now()), 0);
    const [vault] = await vaults.list(alice, { deleted: true });
    assert.deepEqual(
      [vault?.id, vault?.noteCount, vault?.isDefault, vault?.deletedAt, vault?.purgeAt],
      [id, 3, false, deletedAt, clock.now() + 1],
    );
    clock.advance({ ms: 1 });
    assert.deepEqual(await vaults.list(alice, { deleted: true }), []);
    assert.equal(await codeOf(vaults.restore(alice, id)), 'vault_not_found');
    assert.equal(await codeOf(vaults.purge(alice, id)), 'vault_not_found');
    assert.equal(await vaults.purgeDue(clock.now()), 1);
    assert.deepEqual(options.erased, [id]);
    assert.equal(await keys.open({ kind: 'vault', id }), null);
    assert.equal(await vaults.purgeDue(clock.now()), 0);
  });

  test('destroys the key first, erases in slices, and resumes after an interruption', async () => {
    let slices = 0;
    let keyWasThere = false;
    const fixtures: Fixtures = await openFixtures(open, {
      purgeSlice: async (id) => {
        keyWasThere ||= (await fixtures.keys.open({ kind: 'vault', id })) !== null;
        slices += 1;
        if (slices === 2) throw new Error('the process died');
        return slices < 5;
      },
    });
    const { vaults, clock, hookCalls: options } = fixtures;
    const alice = await signUp(fixtures, 'alice');
    const { id } = await vaults.create(alice, { name: 'One' });
    await vaults.remove(alice, id);
    await assert.rejects(vaults.purge(alice, id), /the process died/);
    assert.equal(keyWasThere, false);
    assert.deepEqual(await vaults.list(alice, { deleted: true }), []);
    assert.equal(await codeOf(vaults.restore(alice, id)), 'vault_not_found');
    assert.equal(await codeOf(vaults.purge(alice, id)), 'vault_not_found');
    assert.equal(await vaults.purgeDue(clock.now()), 1);
    assert.deepEqual([slices, options.erased], [5, [id]]);
  });

  test('the purge of one vault that fails does not block the others', async () => {
    let stuck = '';
    const fixtures = await openFixtures(open, {
      purgeSlice: async (id) => {
        if (id === stuck) throw new Error('stuck');
        return false;
      },
    });
    const { vaults, clock, hookCalls: options } = fixtures;
    const alice = await signUp(fixtures, 'alice');
    const made = [];
    for (const name of ['One', 'Two', 'Three']) made.push((await vaults.create(alice, { name })).id);
    for (const id of made) await vaults.remove(alice, id);
    stuck = made[0] ?? '';
    clock.advance({ days: 30 });
    await assert.rejects(vaults.purgeDue(clock.now()), AggregateError);
    assert.deepEqual(options.erased, made.slice(1));
  });

  test('and restoring at once succeeds for one only', async () => {
    const fixtures = await openFixtures(open);
    const { vaults } = fixtures;
    const alice = await signUp(fixtures, 'alice');
    for (let round = 0; round < 5; round++) {
      const { id } = await vaults.create(alice, { name: `Round ${round}` });
      await vaults.remove(alice, id);
      const codes = await Promise.all([codeOf(vaults.restore(alice, id)), codeOf(vaults.purge(alice, id))]);
      assert.deepEqual(codes.sort(), [null, 'vault_not_found']);
      const there = (await vaults.list(alice, { deleted: false })).some((vault) => vault.id === id);
      if (there) await vaults.openVault(alice, id, 'write');
    }
  });

  test('is possible for deleted vaults only', async () => {
    const fixtures = await openFixtures(open);
    const alice = await signUp(fixtures, 'alice');
    const { id } = await fixtures.vaults.create(alice, { name: 'One' });
    for (const other of [id, NOWHERE, 'x']) {
      assert.equal(await codeOf(fixtures.vaults.purge(alice, other)), 'vault_not_found');
    }
  });
});
