import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { UserId, VaultId } from '@notevault/protocol/values/ids.ts';
import {
  type AccessScope,
  accessScopeOf,
  narrower,
  onlyVault,
  type PermissionLevel,
  type Principal,
  permissionFor,
  permissionsOf,
  scopePermission,
} from './access.ts';

const [work, home] = ['work', 'home'] as VaultId[] as [VaultId, VaultId];
const levels = (...entries: [VaultId, PermissionLevel][]) => new Map(entries);
const scopeOf = (elsewhere: PermissionLevel, ...entries: [VaultId, PermissionLevel][]): AccessScope => ({
  vaults: levels(...entries),
  elsewhere,
});

function callerWith(scope: AccessScope | undefined, kind: Principal['kind'] = 'key'): Principal {
  const caller = { kind, userId: 'u' as UserId, credentialId: 'c', name: 'Laptop', tier: 'free' };
  return scope === undefined ? caller : { ...caller, scope };
}

test('permissionFor gives the owner as much as the credential and its scope allow, and anybody else nothing', () => {
  const owned = (id: VaultId) => ({ id, user_id: 'u' as UserId });
  const foreign = { id: work, user_id: 'other' as UserId };
  assert.equal(permissionFor(callerWith(undefined, 'session'), owned(work)), 'write');
  assert.equal(permissionFor(callerWith(undefined, 'session'), foreign), 'none');
  const limited = callerWith(scopeOf('read', [work, 'none']));
  assert.deepEqual([permissionFor(limited, owned(work)), permissionFor(limited, owned(home))], ['none', 'read']);
  assert.equal(permissionFor(callerWith(scopeOf('write')), foreign), 'none');
  assert.equal(permissionFor(callerWith(undefined), owned(work)), 'none');
});

test('permissionsOf names the level in vaults made later first, then in each that the scope names', () => {
  assert.deepEqual(permissionsOf(callerWith(undefined, 'session')), ['write']);
  assert.deepEqual(permissionsOf(callerWith(undefined)), ['none']);
  assert.deepEqual(permissionsOf(callerWith(scopeOf('read', [work, 'write'], [home, 'none']))), [
    'read',
    'write',
    'none',
  ]);
});

test('scopePermission returns the highest level that a word of the scope allows, and ignores unknown words', () => {
  const expected: [string | null, PermissionLevel][] = [
    [null, 'write'],
    ['offline_access', 'write'],
    ['mcp', 'write'],
    ['mcp:read offline_access', 'read'],
    ['mcp:read mcp', 'write'],
    ['profile', 'none'],
    ['none', 'none'],
  ];
  for (const [scope, level] of expected) assert.equal(scopePermission(scope), level, String(scope));
});

test('accessScopeOf lowers every level of a grant to its scope', () => {
  const permissions = levels([work, 'write'], [home, 'none']);
  const scope = accessScopeOf({ defaultPermission: 'write', permissions, scope: 'mcp:read' });
  assert.deepEqual(scope, scopeOf('read', [work, 'read'], [home, 'none']));
});

test('narrower returns the lower level for every vault that either scope names, and for all others', () => {
  const both = narrower(scopeOf('write', [work, 'read']), scopeOf('read', [home, 'none']));
  assert.deepEqual(both, scopeOf('read', [work, 'read'], [home, 'none']));
});

test('onlyVault names a vault when a grant can never access another one', () => {
  const only = (defaultPermission: PermissionLevel, ...entries: [VaultId, PermissionLevel][]) =>
    onlyVault({ defaultPermission, permissions: levels(...entries) });
  assert.equal(only('none', [work, 'read'], [home, 'none']), work);
  assert.equal(only('none', [work, 'read'], [home, 'write']), null);
  assert.equal(only('read', [work, 'read']), null);
  assert.equal(only('none'), null);
});
