import { invalid, NotevaultError } from '@notevault/protocol/errors.ts';
import type { Need, Rule } from '@notevault/protocol/operations.ts';
import { parseUuid, type UserId, type VaultId } from '@notevault/protocol/values/ids.ts';
import type { SealingKey } from '../../ports/keyring/keyring.ts';
import type { Plan } from '../plans/plans.ts';

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
  /** Whether a session is of an admin; absent for other credentials, which never act as one. */
  readonly isAdmin?: boolean;
  /**
   * The access scope of a credential other than a session, limited by its OAuth scope; a session may access everything.
   */
  readonly scope?: AccessScope;
}

export type PermissionLevel = 'none' | Need;

/** What somebody is to a vault. */
export type Role = 'owner';

/** Access levels by vault. */
export interface AccessScope {
  readonly vaults: ReadonlyMap<VaultId, PermissionLevel>;
  /** Level on all other vaults, including later ones; `write` allows the credential to create vaults. */
  readonly elsewhere: PermissionLevel;
}

/** A vault that the caller may use, with its keys opened. */
export interface OpenVault {
  readonly id: VaultId;
  readonly ownerId: UserId;
  /** The account that opened it, against whose share work in it counts; the owner for work of the server itself. */
  readonly callerId: UserId;
  readonly permission: Need;
  readonly key: SealingKey;
  /** Increases when a backup is restored: cursors and client ids of another epoch are void. */
  readonly feedEpoch: number;
  readonly plan: Plan;
  readonly tier: string;
}

const RANK: Readonly<Record<PermissionLevel, number>> = { none: 0, read: 1, write: 2 };

const ROLE_PERMISSIONS: Readonly<Record<Role, PermissionLevel>> = { owner: 'write' };

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

/** The level that a scope gives in one vault, or, for null, in vaults made later. */
function permissionIn({ vaults, elsewhere }: AccessScope, vaultId: VaultId | null): PermissionLevel {
  return (vaultId === null ? undefined : vaults.get(vaultId)) ?? elsewhere;
}

/**
 * What a caller may do in a vault, or, for null, in vaults made later: no more than their role there, their credential
 * and its scope allow. Nothing else decides this.
 */
export function permissionOf(role: Role | null, { kind, scope }: Principal, vaultId: VaultId | null): PermissionLevel {
  if (role === null) return 'none';
  const granted = scope === undefined ? 'none' : permissionIn(scope, vaultId);
  return lowerOf(ROLE_PERMISSIONS[role], kind === 'session' ? 'write' : granted);
}

/** What the row of a vault says about whose it is. Only this file compares it with a caller. */
export interface VaultRoles {
  readonly id: VaultId;
  readonly user_id: UserId;
}

/** The role of a caller in a vault; null for a vault that does not exist for them. */
export function roleOf({ userId }: Pick<Principal, 'userId'>, vault: VaultRoles): Role | null {
  return vault.user_id === userId ? 'owner' : null;
}

export function permissionFor(principal: Principal, vault: VaultRoles): PermissionLevel {
  return permissionOf(roleOf(principal, vault), principal, vault.id);
}

/** What a caller may do in vaults made later, and in each that their credential names. */
export function permissionsOf(principal: Principal): PermissionLevel[] {
  return [null, ...(principal.scope?.vaults.keys() ?? [])].map((id) => permissionOf('owner', principal, id));
}

/** Throws `api_key_not_allowed` or `admin_required` for an operation of sessions, or of those of admins. */
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

/** The intersection of two access scopes: on every vault the lower level. */
export function narrower(a: AccessScope, b: AccessScope): AccessScope {
  const ids = [...a.vaults.keys(), ...b.vaults.keys()];
  const vaults = new Map(ids.map((id) => [id, lowerOf(permissionIn(a, id), permissionIn(b, id))]));
  return { vaults, elsewhere: lowerOf(a.elsewhere, b.elsewhere) };
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

/**
 * Parses a requested scope. Throws `validation`. The transaction checks whether the named vaults belong to the caller.
 */
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

/** The same refusal for a vault that is unknown and for one that belongs to somebody else. */
export function notOwned() {
  return refused('must name vaults of your own');
}

function refused(why: string) {
  return invalid({ vault_access: [why] });
}
