import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { UserId, VaultId } from '@notevault/protocol/values/ids.ts';
import {
  type AccessScope,
  accessOf,
  accessScopeOf,
  checkAccess,
  checkRole,
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

test('permissionFor gives the owner what the credential and its scope allow, and others nothing', () => {
  const owned = (id: VaultId) => ({ id, user_id: 'u' as UserId, members: null, owner_suspended_at: null });
  const foreign = { ...owned(work), user_id: 'other' as UserId, members: 'uu:editor v:editor' };
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

test('accessOf gives members no more than their role, and only where their credential names the vault', () => {
  const shared = { id: work, user_id: 'other' as UserId, members: 'v:editor u:viewer', owner_suspended_at: null };
  const as = (role: string) => ({ ...shared, members: `v:viewer u:${role}` });
  const session = callerWith(undefined, 'session');
  assert.deepEqual(accessOf(session, shared), { role: 'viewer', level: 'read', suspended: false });
  assert.deepEqual(accessOf(session, as('editor')), { role: 'editor', level: 'write', suspended: false });
  const levelOf = (scope: AccessScope, role: string) => accessOf(callerWith(scope), as(role)).level;
  assert.equal(levelOf(scopeOf('write'), 'editor'), 'none');
  assert.equal(levelOf(scopeOf('none', [work, 'write']), 'editor'), 'write');
  assert.equal(levelOf(scopeOf('none', [work, 'write']), 'viewer'), 'read');
  assert.equal(levelOf(scopeOf('write', [work, 'read']), 'editor'), 'read');
});

test('accessOf lets the members of a vault whose owner is suspended read, and the owner nothing less', () => {
  const vault = { id: work, user_id: 'other' as UserId, members: 'u:editor', owner_suspended_at: 1 };
  const session = callerWith(undefined, 'session');
  assert.deepEqual(accessOf(session, vault), { role: 'editor', level: 'read', suspended: true });
  assert.deepEqual(accessOf(session, { ...vault, members: 'u:viewer' }).suspended, false);
  assert.equal(accessOf(session, { ...vault, user_id: 'u' as UserId }).level, 'write');
  assert.throws(() => checkAccess(accessOf(session, vault), 'write'), { code: 'owner_suspended' });
  checkAccess(accessOf(session, vault), 'read');
});

test('checkRole refuses a lower role: owners are asked for by name, editors as a level', () => {
  assert.throws(() => checkRole('editor', { role: 'owner' }), { code: 'owner_required' });
  assert.throws(() => checkRole('viewer', { role: 'editor' }), { code: 'insufficient_access' });
  assert.throws(() => checkRole(null, {}), { code: 'insufficient_access' });
  for (const role of ['viewer', 'editor', 'owner'] as const) checkRole(role, {});
  checkRole('owner', { role: 'editor' });
});

test('narrower allows on every vault the lower level of both scopes, and nests no further when repeated', () => {
  const allowedBy = (scope: AccessScope) => {
    const owned = (id: VaultId) => ({ id, user_id: 'u' as UserId, members: null, owner_suspended_at: null });
    return [work, home, 'other' as VaultId].map((id) => permissionFor(callerWith(scope), owned(id)));
  };
  const token = scopeOf('read', [home, 'none']);
  const both = narrower(scopeOf('write', [work, 'read']), token);
  assert.deepEqual(allowedBy(both), ['read', 'none', 'read']);
  assert.deepEqual(narrower(scopeOf('none'), both), { ...scopeOf('none'), within: token });
});

test('narrower names a shared vault only if both scopes do, so a removed one is not reached again', () => {
  const shared = { id: work, user_id: 'other' as UserId, members: 'u:editor', owner_suspended_at: null };
  const ofToken = scopeOf('none', [work, 'write']);
  const levelWith = (now: AccessScope) => permissionFor(callerWith(narrower(now, ofToken)), shared);
  assert.equal(levelWith(scopeOf('write')), 'none');
  assert.equal(levelWith(scopeOf('write', [work, 'write'])), 'write');
});

test('onlyVault names a vault when a grant can never access another one', () => {
  const only = (defaultPermission: PermissionLevel, ...entries: [VaultId, PermissionLevel][]) =>
    onlyVault({ defaultPermission, permissions: levels(...entries) });
  assert.equal(only('none', [work, 'read'], [home, 'none']), work);
  assert.equal(only('none', [work, 'read'], [home, 'write']), null);
  assert.equal(only('read', [work, 'read']), null);
  assert.equal(only('none'), null);
});
