import { invalid, NotevaultError } from '@notevault/protocol/errors.ts';
import type { Need, Role, Rule } from '@notevault/protocol/operations.ts';
import { parseUuid, type UserId, type VaultId } from '@notevault/protocol/values/ids.ts';
import type { SealingKey } from '../../../ports/keyring/keyring.ts';
import type { Plan } from '../plans/plans.ts';
import type { Standing } from '../rights/rights.ts';

/** The caller of a request, with their credential. */
export interface Principal {
  readonly kind: 'session' | 'key' | 'oauth' | 'device';
  readonly userId: UserId;
  /** The id of the credential (a session, a key, a grant). */
  readonly credentialId: string;
  /** The name of the credential, which is stored with the versions it makes. */
  readonly name: string;
  /** The plan of the account. */
  readonly tier: string;
  /** Display name of the account; read with the credential, so that presence costs no statement. */
  readonly displayName?: string | null;
  /** Whether a session is of an admin; absent for other credentials, which never act as one. */
  readonly isAdmin?: boolean;
  /** The account's rights version when the credential was read. */
  readonly rightsVersion?: number;
  /** The access of a credential, limited by its OAuth scope; absent for a session, which may access everything. */
  readonly scope?: AccessScope;
}

export type PermissionLevel = 'none' | Need;

export interface AccessScope {
  readonly vaults: ReadonlyMap<VaultId, PermissionLevel>;
  /** Level on all other vaults of one's own, including later ones; `write` allows the credential to create vaults. */
  readonly elsewhere: PermissionLevel;
  /** A scope that allows no more than this one, on any vault. */
  readonly within?: AccessScope;
}

/** A vault that the caller may use, with its keys opened. */
export interface OpenVault {
  readonly id: VaultId;
  readonly ownerId: UserId;
  /** The account that opened it and is charged for work in it; the owner for work of the server itself. */
  readonly callerId: UserId;
  /** The role of the account that opened it. */
  readonly role: Role;
  readonly permission: Need;
  /** Whether only that the owner's account is suspended keeps the caller from writing. */
  readonly isSuspended?: boolean;
  /** Whether it had another owner before. */
  readonly isHandedOver?: boolean;
  readonly key: SealingKey;
  /** Increases when a backup is restored: cursors and client ids of another epoch are void. */
  readonly feedEpoch: number;
  readonly plan: Plan;
  readonly tier: string;
  /** Its rights version when it was opened. */
  readonly rightsVersion?: number;
  /** The decision on which its opener writes; absent for work of the server itself. */
  readonly standing?: Standing;
}

const RANK: Readonly<Record<PermissionLevel, number>> = { none: 0, read: 1, write: 2 };

const ROLES: readonly Role[] = ['viewer', 'editor', 'owner'];
const ROLE_PERMISSIONS: Readonly<Record<Role, Need>> = { viewer: 'read', editor: 'write', owner: 'write' };

/** Every level, lowest first. */
export const PERMISSIONS = Object.keys(RANK) as PermissionLevel[];
/** Scopes that may limit a connection, with the level they allow; `offline_access` does not concern vaults. */
const SCOPE_PERMISSIONS: Readonly<Record<string, PermissionLevel>> = { mcp: 'write', 'mcp:read': 'read' };
export const ACCESS_SCOPES = Object.keys(SCOPE_PERMISSIONS);
const VAULTS_MAX = 10_000;

function lowerOf(a: PermissionLevel, b: PermissionLevel): PermissionLevel {
  return RANK[a] <= RANK[b] ? a : b;
}

function higherOf(a: PermissionLevel, b: PermissionLevel): PermissionLevel {
  return RANK[a] >= RANK[b] ? a : b;
}

export function reaches(level: PermissionLevel, need: Need): boolean {
  return RANK[level] >= RANK[need];
}

/**
 * Returns the permission of a scope in one vault or, for null, in vaults created later. A shared vault must be named.
 */
function permissionIn(
  { vaults, elsewhere, within }: AccessScope,
  vaultId: VaultId | null,
  role: Role,
): PermissionLevel {
  const named = vaultId === null ? undefined : vaults.get(vaultId);
  const level = named ?? (role === 'owner' ? elsewhere : 'none');
  return within === undefined ? level : lowerOf(level, permissionIn(within, vaultId, role));
}

/**
 * Returns the caller's permission in a vault or, for null, in vaults created later: the minimum of what their role,
 * their credential and its scope allow. Every such decision is made here.
 */
export function permissionOf(role: Role | null, { kind, scope }: Principal, vaultId: VaultId | null): PermissionLevel {
  if (role === null) return 'none';
  const granted = scope === undefined ? 'none' : permissionIn(scope, vaultId, role);
  return lowerOf(ROLE_PERMISSIONS[role], kind === 'session' ? 'write' : granted);
}

/** The ownership and roles in a vault's row. Only this file compares them with a caller. */
export interface VaultRoles {
  readonly id: VaultId;
  readonly user_id: UserId;
  /** The members beside the owner, as `<id>:<role>`, separated by spaces; null for none. */
  readonly members: string | null;
  /** When the owner's account was suspended: then members may only read. */
  readonly owner_suspended_at: number | null;
}

/** The role of an account in a vault; null for a vault that does not exist for them. */
export function roleOf(
  { userId }: Pick<Principal, 'userId'>,
  vault: Pick<VaultRoles, 'user_id' | 'members'>,
): Role | null {
  if (vault.user_id === userId) return 'owner';
  const member = vault.members?.split(' ').find((each) => each.startsWith(`${userId}:`));
  return member === undefined ? null : (member.slice(userId.length + 1) as Role);
}

/** A caller's role and permission in a vault. */
export interface Access {
  readonly role: Role | null;
  readonly level: PermissionLevel;
  /** Whether they could write, were the owner's account not suspended. */
  readonly suspended: boolean;
}

export function accessOf(principal: Principal, vault: VaultRoles): Access {
  const role = roleOf(principal, vault);
  const level = permissionOf(role, principal, vault.id);
  const suspended = role !== 'owner' && vault.owner_suspended_at !== null && level === 'write';
  return { role, level: suspended ? 'read' : level, suspended };
}

export function permissionFor(principal: Principal, vault: VaultRoles): PermissionLevel {
  return accessOf(principal, vault).level;
}

/** Throws `owner_suspended`, `insufficient_access`. */
export function checkAccess({ level, suspended }: Access, need: Need): void {
  if (suspended && need === 'write') throw new NotevaultError('owner_suspended');
  checkPermission(level, need);
}

/** Whether a role is at least another. */
export function includesRole(role: Role, least: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(least);
}

/** Throws `owner_required`, or `insufficient_access` for a viewer where an editor is needed. */
export function checkRole(role: Role | null, { role: least }: Pick<Rule, 'role'>): void {
  if (role !== null && includesRole(role, least ?? 'viewer')) return;
  throw least === 'owner'
    ? new NotevaultError('owner_required')
    : new NotevaultError('insufficient_access', { required: 'write' });
}

/** Returns the caller's permissions: for vaults created later, and for each vault that the credential names. */
export function permissionsOf(principal: Principal): PermissionLevel[] {
  return [null, ...(principal.scope?.vaults.keys() ?? [])].map((id) => permissionOf('owner', principal, id));
}

/** Throws `api_key_not_allowed` or `admin_required` for an operation that requires a session, or an admin's session. */
export function checkWho({ who }: Rule, { kind, isAdmin }: Principal): void {
  if (who === 'session' && kind !== 'session') throw new NotevaultError('api_key_not_allowed');
  if (who === 'admin' && !(kind === 'session' && isAdmin === true)) throw new NotevaultError('admin_required');
}

/** Throws `insufficient_access`. */
export function checkPermission(level: PermissionLevel, need: Need): void {
  if (!reaches(level, need)) throw new NotevaultError('insufficient_access', { required: need });
}

/** The access granted to a connection: a default level, exceptions by vault, and a scope that may lower both. */
export interface Grant {
  readonly defaultPermission: PermissionLevel;
  readonly permissions: ReadonlyMap<VaultId, PermissionLevel>;
  readonly scope: string | null;
}

/** The access scope of a grant: on every vault the lower of its level there and its scope. */
export function accessScopeOf({ defaultPermission, permissions, scope }: Grant): AccessScope {
  const top = scopePermission(scope);
  const vaults = new Map([...permissions].map(([id, permission]) => [id, lowerOf(permission, top)]));
  return { vaults, elsewhere: lowerOf(defaultPermission, top) };
}

/**
 * The highest level that a scope allows: without a scope, and for `mcp`, `write`; for `mcp:read`, `read`; for unknown
 * scopes, `none`.
 */
export function scopePermission(scope: string | null): PermissionLevel {
  const words = (scope ?? '').split(' ').filter((word) => word !== '' && word !== 'offline_access');
  if (words.length === 0) return 'write';
  return words.map((word) => SCOPE_PERMISSIONS[word] ?? 'none').reduce(higherOf);
}

/**
 * The intersection of two access scopes: on every vault the lower level. Of a scope that is an intersection already, the
 * inner one is taken, so that asking again does not nest them.
 */
export function narrower(scope: AccessScope, by: AccessScope): AccessScope {
  return { ...scope, within: by.within ?? by };
}

/** The only existing or future vault that a grant can ever access; null when there may be several. */
export function onlyVault({ defaultPermission, permissions }: Omit<Grant, 'scope'>): VaultId | null {
  if (defaultPermission !== 'none') return null;
  const accessible = [...permissions].filter(([, permission]) => permission !== 'none').map(([id]) => id);
  return accessible.length === 1 ? (accessible[0] ?? null) : null;
}

export interface AccessScopeInput {
  readonly default_access?: PermissionLevel | null;
  readonly vault_access?: Readonly<Record<string, unknown>> | null;
  readonly scope?: string | null;
}

/** Throws `validation`. The transaction checks whether the named vaults belong to the caller. */
export function readAccessScope({ default_access, vault_access, scope }: AccessScopeInput): Grant {
  const entries = Object.entries(vault_access ?? {});
  if (entries.length > VAULTS_MAX) throw refused(`must name at most ${VAULTS_MAX} vaults`);
  const permissions = new Map<VaultId, PermissionLevel>();
  for (const [text, permission] of entries) {
    const id = parseUuid(text);
    if (id === null) throw notOwned();
    if (!PERMISSIONS.includes(permission as PermissionLevel))
      throw refused('must give none, read or write for each vault');
    permissions.set(id as VaultId, permission as PermissionLevel);
  }
  if (scope != null && !Object.hasOwn(SCOPE_PERMISSIONS, scope)) throw refused('the scope must be mcp or mcp:read');
  const defaultPermission = default_access ?? (vault_access == null ? 'write' : 'none');
  const reachesAny = [defaultPermission, ...permissions.values()].some((permission) => permission !== 'none');
  if (!reachesAny) throw refused('must reach at least one vault, now or later');
  return { defaultPermission, permissions, scope: scope ?? null };
}

/** Returns the error for an unknown vault, and for one that is not shared with the account: both look the same. */
export function notOwned() {
  return refused('must name vaults of your own');
}

function refused(why: string) {
  return invalid({ vault_access: [why] });
}
