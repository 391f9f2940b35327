import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Vault } from '@notevault/protocol/vaults.ts';
import { ownFirst, roleOf } from './role.ts';

const vault = (id: string, role?: Vault['role']) => ({ id, ...(role === undefined ? {} : { role }) }) as Vault;

test('roleOf treats a vault of a server without roles as one’s own, and a missing one as read-only', () => {
  assert.equal(roleOf(vault('a')), 'owner');
  assert.equal(roleOf(vault('a', 'editor')), 'editor');
  assert.equal(roleOf(null), 'viewer');
});

test('ownFirst keeps the order of the server among own vaults and among shared ones', () => {
  const vaults = [vault('a', 'viewer'), vault('b', 'owner'), vault('c', 'editor'), vault('d')];
  assert.deepEqual(
    ownFirst(vaults).map(({ id }) => id),
    ['b', 'd', 'a', 'c'],
  );
});
