import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { VaultId } from '@notevault/protocol/ids.ts';
import { onEachEngine } from '../../../test/kit/engines.ts';
import { codeOf, errorOf, type Fixtures, openFixtures, signUp } from '../../../test/kit/fixtures.ts';
import { statementsOver } from '../../ports/database/statement.ts';
import type { PermissionLevel, Principal } from '../access/access.ts';
import { builtinPlans, mergePlans } from '../plans/plans.ts';
import type { Vault } from './opened-vault.ts';
import type { VaultsTables } from './vaults.tables.ts';

const { statement } = statementsOver<VaultsTables>();
const findAllRows = statement((db, _: Record<never, never>) => db.selectFrom('vaults').selectAll());

const NOWHERE = '00000000-0000-7000-8000-000000000000';
const plans = mergePlans(builtinPlans, { free: { vaults_cap: 10, notes_cap: 10 } });

function keyOf(session: Principal, elsewhere: PermissionLevel, vaults: [string, PermissionLevel][] = []): Principal {
  const scope = { elsewhere, vaults: new Map(vaults.map(([id, level]) => [id as VaultId, level])) };
  return { kind: 'key', userId: session.userId, credentialId: 'key', name: 'key', tier: session.tier, scope };
}

async function advance({ db, vaults }: Fixtures, principal: Principal, id: string, notes: number, seqs = notes) {
  const vault = await vaults.openVault(principal, id, 'write');
  return db.transact((handle) => vaults.advance(handle, vault, { seqs, notes }));
}

onEachEngine('creating vaults', (open) => {
  test('makes exactly one default of eight first vaults at once', async () => {
    const rooms = await openFixtures(open);
    const alice = await signUp(rooms, 'alice');
    await Promise.all(
      Array.from({ length: 8 }, (_, i) => rooms.vaults.register(alice, { client_id: `device-${i}`, name: 'Vault' })),
    );
    const list = await rooms.vaults.list(alice, { deleted: false });
    assert.equal(list.filter(({ isDefault }) => isDefault).length, 1);
    assert.deepEqual(list.map(({ slug }) => slug).sort(), ['vault', ...[2, 3, 4, 5, 6, 7, 8].map((n) => `vault-${n}`)]);
  });

  test('lets ten of fifty creates at once succeed against a cap of ten', async () => {
    const rooms = await openFixtures(open, { plans, defaultPlan: 'free' });
    const alice = await signUp(rooms, 'alice');
    const errors = await Promise.all(
      Array.from({ length: 50 }, () => errorOf(rooms.vaults.create(alice, { name: 'Work' }))),
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
    assert.equal((await rooms.vaults.list(alice, { deleted: false })).length, 10);
  });

  test('makes one vault of ten registrations of one client id at once, with the first name', async () => {
    const rooms = await openFixtures(open);
    const alice = await signUp(rooms, 'alice');
    const all = await Promise.all(
      Array.from({ length: 10 }, (_, i) => rooms.vaults.register(alice, { client_id: 'laptop', name: `Name ${i}` })),
    );
    assert.equal(new Set(all.map(({ vault }) => vault.id)).size, 1);
    assert.equal(new Set(all.map(({ vault }) => vault.name)).size, 1);
    assert.deepEqual(all.map(({ status }) => status).sort(), ['created', ...Array(9).fill('existing')]);
  });

  test('makes different vaults for one client id of different users', async () => {
    const rooms = await openFixtures(open);
    const [alice, bob] = [await signUp(rooms, 'alice'), await signUp(rooms, 'bob')];
    const hers = await rooms.vaults.register(alice, { client_id: 'laptop', name: 'Notes' });
    const his = await rooms.vaults.register(bob, { client_id: 'laptop', name: 'Notes' });
    assert.notEqual(hers.vault.id, his.vault.id);
    assert.deepEqual([his.status, his.vault.slug], ['created', 'notes']);
  });

  test('with a key needs write on later vaults, and adopts only vaults it can access', async () => {
    const rooms = await openFixtures(open);
    const { vaults } = rooms;
    const alice = await signUp(rooms, 'alice');
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
    const rooms = await openFixtures(open);
    const { vaults } = rooms;
    const [alice, bob] = [await signUp(rooms, 'alice'), await signUp(rooms, 'bob')];
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
    const rooms = await openFixtures(open);
    const { vaults } = rooms;
    const alice = await signUp(rooms, 'alice');
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
    const rooms = await openFixtures(open);
    const { db, vaults } = rooms;
    const alice = await signUp(rooms, 'alice');
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
    const rooms = await openFixtures(open);
    const alice = await signUp(rooms, 'alice');
    const { id } = await rooms.vaults.create(alice, { name: 'One' });
    const taken = await Promise.all(Array.from({ length: 50 }, () => advance(rooms, alice, id, 1, 2)));
    assert.deepEqual(
      taken.sort((a, b) => a - b),
      Array.from({ length: 50 }, (_, i) => 1 + 2 * i),
    );
    assert.equal((await rooms.vaults.get(alice, id)).noteCount, 50);
  });

  test('counts the notes cap over all active vaults, also when they grow at once', async () => {
    const rooms = await openFixtures(open, { plans, defaultPlan: 'free' });
    const { vaults } = rooms;
    const alice = await signUp(rooms, 'alice');
    const made: Vault[] = [];
    for (const name of ['One', 'Two', 'Three']) made.push(await vaults.create(alice, { name }));
    const errors = await Promise.all(
      Array.from({ length: 30 }, (_, i) => errorOf(advance(rooms, alice, made[i % 3]?.id ?? '', 1))),
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
    await advance(rooms, alice, made[0]?.id ?? '', 0, 1);
    await advance(rooms, alice, made.find((_, i) => counts[i] !== 0)?.id ?? '', -1, 1);
    await advance(rooms, alice, made[0]?.id ?? '', 1);
  });

  test('is still capped after a restore', async () => {
    const rooms = await openFixtures(open, { plans, defaultPlan: 'free' });
    const { vaults } = rooms;
    const alice = await signUp(rooms, 'alice');
    const first = await vaults.create(alice, { name: 'One' });
    await advance(rooms, alice, first.id, 6);
    await vaults.remove(alice, first.id);
    const second = await vaults.create(alice, { name: 'Two' });
    await advance(rooms, alice, second.id, 6);
    const error = await errorOf(vaults.restore(alice, first.id));
    assert.deepEqual([error?.code, error?.details.reason], ['limit_exceeded', 'notes_cap_exceeded']);
    await vaults.remove(alice, second.id);
    assert.equal((await vaults.restore(alice, first.id)).noteCount, 6);
  });

  test('is refused when the vault was deleted since it was opened', async () => {
    const rooms = await openFixtures(open);
    const { db, vaults, hookCalls: options } = rooms;
    const alice = await signUp(rooms, 'alice');
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

onEachEngine('changing vaults', (open) => {
  test('with a new name makes a new slug, for which its own old slug is no obstacle', async () => {
    const rooms = await openFixtures(open);
    const { vaults } = rooms;
    const alice = await signUp(rooms, 'alice');
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
    const rooms = await openFixtures(open);
    const { vaults, clock } = rooms;
    const alice = await signUp(rooms, 'alice');
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

  test('by restoring makes it the default only when there is none, with its slug and client id only if free', async () => {
    const rooms = await openFixtures(open);
    const { vaults } = rooms;
    const alice = await signUp(rooms, 'alice');
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

  test('with a key needs write on the vault, and inaccessible vaults do not exist', async () => {
    const rooms = await openFixtures(open);
    const { vaults, hookCalls: options } = rooms;
    const [alice, bob] = [await signUp(rooms, 'alice'), await signUp(rooms, 'bob')];
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
    const rooms = await openFixtures(open);
    const alice = await signUp(rooms, 'alice');
    const sent = { client_id: 'secret-client', name: 'Secret Name' };
    const { vault } = await rooms.vaults.register(alice, sent);
    await rooms.vaults.update(alice, vault.id, { description: 'Secret words' });
    const values = (await rooms.db.all(findAllRows, {})).flatMap((row) => Object.values(row));
    const stored = values.map((value) => (Buffer.isBuffer(value) ? value.toString('latin1') : String(value))).join(' ');
    assert.match(stored, new RegExp(vault.id));
    assert.doesNotMatch(stored, /secret/i);
  });
});

onEachEngine('purging vaults', (open) => {
  test('keeps a deleted vault for thirty days; then its owner cannot see it, and soon it is erased', async () => {
    const rooms = await openFixtures(open);
    const { vaults, clock, hookCalls: options, keys } = rooms;
    const alice = await signUp(rooms, 'alice');
    const { id } = await vaults.create(alice, { name: 'One' });
    await advance(rooms, alice, id, 3);
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
    const rooms: Fixtures = await openFixtures(open, {
      purgeSlice: async (id) => {
        keyWasThere ||= (await rooms.keys.open({ kind: 'vault', id })) !== null;
        slices += 1;
        if (slices === 2) throw new Error('the process died');
        return slices < 5;
      },
    });
    const { vaults, clock, hookCalls: options } = rooms;
    const alice = await signUp(rooms, 'alice');
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

  test('of one vault that fails does not block the others', async () => {
    let stuck = '';
    const rooms = await openFixtures(open, {
      purgeSlice: async (id) => {
        if (id === stuck) throw new Error('stuck');
        return false;
      },
    });
    const { vaults, clock, hookCalls: options } = rooms;
    const alice = await signUp(rooms, 'alice');
    const made = [];
    for (const name of ['One', 'Two', 'Three']) made.push((await vaults.create(alice, { name })).id);
    for (const id of made) await vaults.remove(alice, id);
    stuck = made[0] ?? '';
    clock.advance({ days: 30 });
    await assert.rejects(vaults.purgeDue(clock.now()), AggregateError);
    assert.deepEqual(options.erased, made.slice(1));
  });

  test('and restoring at once succeeds for one only', async () => {
    const rooms = await openFixtures(open);
    const { vaults } = rooms;
    const alice = await signUp(rooms, 'alice');
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
    const rooms = await openFixtures(open);
    const alice = await signUp(rooms, 'alice');
    const { id } = await rooms.vaults.create(alice, { name: 'One' });
    for (const other of [id, NOWHERE, 'x']) {
      assert.equal(await codeOf(rooms.vaults.purge(alice, other)), 'vault_not_found');
    }
  });
});
