import { NotevaultError } from '@notevault/protocol/errors.ts';
import { live } from '@notevault/protocol/operations.ts';
import type { UserId, VaultId } from '@notevault/protocol/values/ids.ts';
import type { OpenVault } from '../../../content/vaults/vaults.ts';
import { checkPermission, type Principal, reaches } from '../../../foundation/access/access.ts';
import { Standing, versionsOf } from '../../../foundation/rights/rights.ts';
import type { CollaborationDeps } from './collaboration.ts';
import type { Caller } from './connection.ts';

/** How long a check is valid for writes. */
const FRESH_MS = 1000;
/** How long a check is valid for reading, if no change is reported. */
const STALE_MS = 30_000;
/** Maximum number of permissions checked per sweep, so that many sockets put little load on the database. */
const SWEEP_MAX = 256;

/** The cause of a lost permission: the credential ended, or it only lost this vault. */
export type Lost = 'credential' | 'vault';

/** A document that is open under a permission. */
export interface PermissionListener {
  revoked(lost: Lost): void;
  /** The permission allows more or less than before. */
  permissionChanged(): void;
}

/** The permission of one credential in one vault, shared by all documents opened with it. */
export class Permission {
  readonly listeners = new Set<PermissionListener>();
  #principal: Principal;
  #vault: OpenVault;
  /** Elapsed time: with a wall clock that is set back, a lost permission would count as fresh until that date. */
  #checkedAt: number;
  /** A change was reported, and no later check has succeeded yet. */
  #stale = false;
  #revoked = false;
  #checking: Promise<void> | undefined;

  constructor(principal: Principal, vault: OpenVault, checkedAt: number) {
    this.#principal = principal;
    this.#vault = vault;
    this.#checkedAt = checkedAt;
  }

  get principal(): Principal {
    return this.#principal;
  }
  get vault(): OpenVault {
    return this.#vault;
  }
  get mayWrite(): boolean {
    return !this.#revoked && reaches(this.#vault.permission, live.edit.vault);
  }
  get stale(): boolean {
    return this.#stale;
  }

  isFresh(now: number, ms: number): boolean {
    return !this.#stale && !this.#revoked && now - this.#checkedAt <= ms;
  }

  markStale(): void {
    this.#stale = true;
  }

  /** Concurrent callers share one check. Rejects when it fails; the permission is then unchanged. */
  check(read: (permission: Permission) => Promise<CheckedAccess | Lost>, now: () => number): Promise<void> {
    this.#checking ??= this.#check(read, now).finally(() => {
      this.#checking = undefined;
    });
    return this.#checking;
  }

  async #check(read: (permission: Permission) => Promise<CheckedAccess | Lost>, now: () => number): Promise<void> {
    let [at, access] = [now(), 'credential' as CheckedAccess | Lost];
    do {
      this.#stale = false;
      at = now();
      access = await read(this).catch((error) => {
        this.#stale = true;
        throw error;
      });
      // A change was reported during the check: its answer may be outdated.
    } while (typeof access !== 'string' && this.#stale);
    if (typeof access === 'string') return this.revoke(access);
    this.renew(access.principal, access.vault, at);
  }

  revoke(lost: Lost): void {
    this.#revoked = true;
    for (const listener of [...this.listeners]) listener.revoked(lost);
  }

  /** Stores a check's result and notifies the listeners: opening another document may find a change first. */
  renew(principal: Principal, vault: OpenVault, checkedAt: number): void {
    const isChanged = vault.permission !== this.#vault.permission;
    [this.#principal, this.#vault] = [principal, vault];
    this.#checkedAt = Math.max(this.#checkedAt, checkedAt);
    if (isChanged) for (const listener of [...this.listeners]) listener.permissionChanged();
  }
}

/** The result of checking a token: the user, if the token is valid, and the permission, if it has any. */
export interface PermissionDecision {
  readonly principal: Principal | null;
  /** Pass it to `join`. */
  readonly permission: Permission | null;
}

interface CheckedAccess {
  readonly principal: Principal;
  readonly vault: OpenVault;
}

/**
 * Permissions of open sockets. A permission is checked when a document is opened, before a write if the last check is
 * over a second old, at once when a change is reported, and periodically, because such reports may get lost. The roles of
 * members are looked up each second for all at once: who was removed must not read on.
 */
export class PermissionCache {
  readonly #deps: CollaborationDeps;
  readonly #permissions = new Map<string, Permission>();
  #areRolesBeingRead = false;
  /** Counts reported changes: a decision during which one was reported is made again. */
  #changes = 0;

  constructor(deps: CollaborationDeps) {
    this.#deps = deps;
  }

  /** Decides what a token may do in a vault. Rejects when this cannot be checked now. */
  async decide(token: string, caller: Caller, vaultOf: () => Promise<VaultId | null>): Promise<PermissionDecision> {
    const [before, at] = [this.#changes, this.#deps.clock.elapsed()];
    const principal = await nullIfRefused(this.#deps.hooks.authenticate(token, caller));
    const vaultId = await vaultOf();
    if (principal === null || vaultId === null) return { principal, permission: null };
    const vault = await nullIfRefused(this.#deps.vaults.openVault(principal, vaultId, live.open.vault));
    if (vault === null) return { principal, permission: null };
    const permission = this.#permissions.get(keyOf({ principal, vault })) ?? new Permission(principal, vault, at);
    permission.renew(principal, vault, at);
    if (before !== this.#changes) permission.markStale();
    return { principal, permission };
  }

  /** Returns the shared permission to use: another listener may have joined an equal one meanwhile. */
  join(decision: Permission, listener: PermissionListener): Permission {
    const key = keyOf(decision);
    const permission = this.#permissions.get(key) ?? decision;
    this.#permissions.set(key, permission);
    permission.listeners.add(listener);
    if (decision.stale) permission.markStale();
    if (permission.stale) this.#recheck(permission);
    return permission;
  }

  release(permission: Permission, listener: PermissionListener): void {
    permission.listeners.delete(listener);
    const key = keyOf(permission);
    if (permission.listeners.size === 0 && this.#permissions.get(key) === permission) this.#permissions.delete(key);
  }

  isFresh(permission: Permission): boolean {
    return permission.isFresh(this.#deps.clock.elapsed(), FRESH_MS);
  }

  /** Checks again and notifies the listeners of a loss or change. Rejects when this cannot be checked now. */
  refresh(permission: Permission): Promise<void> {
    return permission.check((permission) => this.#read(permission), this.#deps.clock.elapsed);
  }

  /** Returns the standing under which edits are stored; decided anew if rights are removed before that. */
  standingOf(permission: Permission): Standing {
    const { principal, vault } = permission;
    const subject = { userId: principal.userId, vaultId: vault.id };
    return new Standing(subject, versionsOf(principal, vault), async () => {
      const at = this.#deps.clock.elapsed();
      const access = await this.#read(permission);
      if (typeof access === 'string') {
        permission.revoke(access);
        throw new NotevaultError('unauthorized');
      }
      permission.renew(access.principal, access.vault, at);
      checkPermission(access.vault.permission, live.edit.vault);
      return versionsOf(access.principal, access.vault);
    });
  }

  /** Call when credentials of a user may have been revoked. */
  userChanged(userId: UserId): void {
    this.#changed((permission) => permission.principal.userId === userId);
  }

  /** Call when a vault may have been deleted. */
  vaultChanged(vaultId: VaultId): void {
    this.#changed((permission) => permission.vault.id === vaultId);
  }

  /** Revokes every permission in the vault without a check: listeners must know before their documents close. */
  vaultDeleted(vaultId: VaultId): void {
    this.#changes += 1;
    for (const permission of [...this.#permissions.values()])
      if (permission.vault.id === vaultId) permission.revoke('vault');
  }

  /** Call when reports of changes may have been lost. */
  hintsMissed(): void {
    this.#changes += 1;
    for (const permission of this.#permissions.values()) permission.markStale();
  }

  /** Checks permissions with a reported change, some of the oldest, and those of members with another role. */
  sweep(): void {
    // The database is unavailable: the next sweep looks again.
    this.#checkRoles().catch(() => undefined);
    const now = this.#deps.clock.elapsed();
    let left = SWEEP_MAX;
    for (const permission of this.#permissions.values()) {
      if (left === 0) return;
      if (permission.isFresh(now, STALE_MS)) continue;
      left -= 1;
      this.#recheck(permission);
    }
  }

  async #checkRoles(): Promise<void> {
    if (this.#areRolesBeingRead) return;
    this.#areRolesBeingRead = true;
    try {
      const shared = [...this.#permissions.values()].filter(({ vault }) => vault.role !== 'owner');
      const changed = new Set(await this.#deps.vaults.changedRoles(shared.map(({ vault }) => vault)));
      for (const permission of shared) if (changed.has(permission.vault)) this.#reportChange(permission);
    } finally {
      this.#areRolesBeingRead = false;
    }
  }

  #reportChange(permission: Permission): void {
    permission.markStale();
    this.#recheck(permission);
  }

  #changed(isAffected: (permission: Permission) => boolean): void {
    this.#changes += 1;
    for (const permission of this.#permissions.values()) {
      if (isAffected(permission)) this.#reportChange(permission);
    }
  }

  /**
   * Checks a permission again. If the check fails, the permission stays stale: writes wait, and the next sweep retries.
   */
  #recheck(permission: Permission): void {
    this.refresh(permission).catch(() => undefined);
  }

  async #read({ principal, vault }: Permission): Promise<CheckedAccess | Lost> {
    const current = await this.#deps.hooks.recall(principal);
    if (current === null) return 'credential';
    const opened = await nullIfRefused(this.#deps.vaults.openVault(current, vault.id, live.open.vault));
    return opened === null ? 'vault' : { principal: current, vault: opened };
  }
}

function keyOf({ principal, vault }: CheckedAccess): string {
  return `${principal.credentialId}:${vault.id}`;
}

/** Resolves to null for a refusal; rethrows a failed check. */
async function nullIfRefused<T>(permission: Promise<T>): Promise<T | null> {
  try {
    return await permission;
  } catch (error) {
    if (error instanceof NotevaultError && error.code !== 'unavailable' && error.code !== 'internal') return null;
    throw error;
  }
}
