import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OpenVault } from '../domains/foundation/access/access.ts';
import { credentialName, RecentVaults } from './recent-vaults.ts';

const key = {} as OpenVault['key'];
const plan = {} as OpenVault['plan'];
const vault = (fields: Partial<OpenVault> = {}): OpenVault =>
  ({
    id: 'vault',
    ownerId: 'alice',
    callerId: 'alice',
    role: 'owner',
    permission: 'read',
    key,
    feedEpoch: 1,
    plan,
    tier: 'free',
    ...fields,
  }) as OpenVault;

test('a vault is the one remembered only while nothing of it has changed', () => {
  const recent = new RecentVaults();
  const first = vault();
  assert.equal(recent.find('a'), undefined);
  assert.equal(recent.confirm('a', first), first);
  assert.equal(recent.confirm('a', vault()), first);
  assert.equal(recent.find('b'), undefined);
  const changes: Partial<OpenVault>[] = [
    { id: 'other' as OpenVault['id'] },
    { ownerId: 'bob' as OpenVault['ownerId'] },
    { callerId: 'bob' as OpenVault['callerId'] },
    { role: 'editor' },
    { permission: 'write' },
    { key: {} as OpenVault['key'] },
    { feedEpoch: 2 },
    { plan: {} as OpenVault['plan'] },
    { tier: 'pro' },
  ];
  for (const change of changes) {
    const changed = vault(change);
    assert.equal(recent.confirm('a', changed), changed);
    assert.equal(recent.find('a'), changed);
    recent.confirm('a', first);
  }
  recent.forget('a');
  assert.equal(recent.find('a'), undefined);
  recent.confirm('b', first);
  recent.clear();
  assert.equal(recent.find('b'), undefined);
});

test('no more vaults are remembered than allowed: the oldest is forgotten', () => {
  const recent = new RecentVaults(2);
  for (const credential of ['a', 'b', 'a', 'c']) recent.confirm(credential, vault());
  assert.deepEqual(
    ['a', 'b', 'c'].map((credential) => recent.find(credential) !== undefined),
    [false, true, true],
  );
});

test('the name of a credential does not tell it, and is another for another vault', () => {
  const name = credentialName('Bearer nvk_secret', 'vault');
  assert.doesNotMatch(name, /secret|vault/);
  assert.equal(name, credentialName('Bearer nvk_secret', 'vault'));
  assert.notEqual(name, credentialName('Bearer nvk_secret', 'other'));
});
