import { invalid } from '@notevault/protocol/errors.ts';
import { parseUuid, type UserId, type VaultId } from '@notevault/protocol/ids.ts';
import type { SealingKey } from '../../ports/keyring/keyring.ts';
import type { Plan } from '../plans/plans.ts';

/** Who calls, by which credential. */
export interface Principal {
  readonly kind: 'session' | 'key' | 'oauth' | 'device';
  readonly userId: UserId;
  /** The credential's own id (a session, a key, a grant). */
  readonly credentialId: string;
  /** What people call the credential; kept beside the versions it makes. */
  readonly name: string;
  /** The plan of the account. */
  readonly tier: string;
  /** What a credential other than a session reaches, its scope counted in; sessions reach everything. */
  readonly scope?: AccessScope;
}

export type PermissionLevel = 'none' | 'read' | 'write';

/** Access levels by vault. */
export interface AccessScope {
  readonly vaults: ReadonlyMap<VaultId, PermissionLevel>;
  /** On every other vault, also ones made later; `write` lets the credential make some. */
  readonly elsewhere: PermissionLevel;
}

/** A vault a caller may use, with its keys open. */
export interface OpenVault {
  readonly id: VaultId;
  readonly userId: UserId;
  readonly permission: 'read' | 'write';
  readonly key: SealingKey;
  /** Grows when a backup is restored: cursors and client ids of another epoch are void. */
  readonly feedEpoch: number;
  /** The owner's plan. */
  readonly plan: Plan;
  readonly tier: string;
}

const RANK: Readonly<Record<PermissionLevel, number>> = { none: 0, read: 1, write: 2 };

/** Every level, the lowest first. */
export const PERMISSIONS = Object.keys(RANK) as PermissionLevel[];
/** Scopes a connection may be limited to; `offline_access` says nothing of vaults. */
const SCOPE_PERMISSIONS: Readonly<Record<string, PermissionLevel>> = { mcp: 'write', 'mcp:read': 'read' };
const VAULTS_MAX = 10_000;

/** The lower of two levels. */
function lowerOf(a: PermissionLevel, b: PermissionLevel): PermissionLevel {
  return RANK[a] <= RANK[b] ? a : b;
}

/** The higher of two levels. */
function higherOf(a: PermissionLevel, b: PermissionLevel): PermissionLevel {
  return RANK[a] >= RANK[b] ? a : b;
}

/** The level of a scope in one vault. */
function permissionIn(scope: AccessScope, vaultId: VaultId): PermissionLevel {
  return scope.vaults.get(vaultId) ?? scope.elsewhere;
}

/** What a caller may do in a vault of the same user. The only place that decides it. */
export function permissionOf({ kind, scope }: Principal, vaultId: VaultId): PermissionLevel {
  if (kind === 'session') return 'write';
  return scope === undefined ? 'none' : permissionIn(scope, vaultId);
}

/** What a connection was given: a default, exceptions to it, and a scope that may lower both. */
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

/** The most that a scope allows: no scope and `mcp` allow all, `mcp:read` reading, words of no meaning here nothing. */
export function scopePermission(scope: string | null): PermissionLevel {
  const words = (scope ?? '').split(' ').filter((word) => word !== '' && word !== 'offline_access');
  if (words.length === 0) return 'write';
  return words.map((word) => SCOPE_PERMISSIONS[word] ?? 'none').reduce(higherOf);
}

/** What two scopes have in common: on every vault the lower level. */
export function narrower(a: AccessScope, b: AccessScope): AccessScope {
  const ids = [...a.vaults.keys(), ...b.vaults.keys()];
  const vaults = new Map(ids.map((id) => [id, lowerOf(permissionIn(a, id), permissionIn(b, id))]));
  return { vaults, elsewhere: lowerOf(a.elsewhere, b.elsewhere) };
}

/** The only vault that a grant can ever reach, of those that are there; null when there are several or more may come. */
export function onlyVault({ defaultPermission, permissions }: Omit<Grant, 'scope'>): VaultId | null {
  if (defaultPermission !== 'none') return null;
  const accessible = [...permissions].filter(([, permission]) => permission !== 'none').map(([id]) => id);
  return accessible.length === 1 ? (accessible[0] ?? null) : null;
}

/** An access scope as a client asks for it. */
export interface AccessScopeInput {
  readonly default_access?: PermissionLevel | null;
  readonly vault_access?: Readonly<Record<string, unknown>> | null;
  readonly scope?: string | null;
}

/** Throws `validation`. Whether the vaults named are the caller's own is for the transaction to see. */
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

/** The refusal of a vault that is unknown or somebody else's, alike. */
export function notOwned() {
  return refused('must name vaults of your own');
}

function refused(why: string) {
  return invalid({ vault_access: [why] });
}
