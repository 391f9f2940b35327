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
  permissionOf,
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

test('permissionOf gives a session every permission, and other credentials those of their scope', () => {
  assert.equal(permissionOf(callerWith(undefined, 'session'), work), 'write');
  const limited = callerWith(scopeOf('read', [work, 'none']));
  assert.deepEqual([permissionOf(limited, work), permissionOf(limited, home)], ['none', 'read']);
  assert.equal(permissionOf(callerWith(undefined), work), 'none');
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
