import type { UserId, VaultId } from '@notevault/protocol/ids.ts';
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

/** The lower of two levels. */
export function lowerOf(a: PermissionLevel, b: PermissionLevel): PermissionLevel {
  return RANK[a] <= RANK[b] ? a : b;
}

/** The higher of two levels. */
export function higherOf(a: PermissionLevel, b: PermissionLevel): PermissionLevel {
  return RANK[a] >= RANK[b] ? a : b;
}

/** The level of a scope in one vault. */
export function permissionIn(scope: AccessScope, vaultId: VaultId): PermissionLevel {
  return scope.vaults.get(vaultId) ?? scope.elsewhere;
}

/** What a caller may do in a vault of the same user. The only place that decides it. */
export function permissionOf({ kind, scope }: Principal, vaultId: VaultId): PermissionLevel {
  if (kind === 'session') return 'write';
  return scope === undefined ? 'none' : permissionIn(scope, vaultId);
}
