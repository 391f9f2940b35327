import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { UserId, VaultId } from '@notevault/protocol/ids.ts';
import type { Principal } from '../access/access.ts';
import type { OpenVault } from '../vaults/vaults.ts';
import type { CollaborationDeps } from './collaboration.deps.ts';
import type { Caller } from './connection.ts';

/** So long a check is good for a write. */
const FRESH_MS = 1000;
/** So long it is good for watching, if nobody says that something changed. */
const STALE_MS = 30_000;
/** Rights checked by one sweep, so that many sockets cost the database a trickle. */
const SWEEP_MAX = 256;

/** Whoever holds a document open under a right. */
export interface PermissionListener {
  /** The right is gone. */
  revoked(): void;
  /** It reaches further, or less far, than before. */
  permissionChanged(): void;
}

/** What one credential may do in one vault, for all documents that are open by it. */
export class Permission {
  readonly listeners = new Set<PermissionListener>();
  #principal: Principal;
  #vault: OpenVault;
  #checkedAt: number;
  /** Told that something changed, and not yet checked well. */
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
    return !this.#revoked && this.#vault.permission === 'write';
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

  /** Asks again, once for all who want to know. Rejects when it cannot be told; the right is then as it was. */
  check(read: (permission: Permission) => Promise<CheckedAccess | null>, now: () => number): Promise<void> {
    this.#checking ??= this.#check(read, now).finally(() => {
      this.#checking = undefined;
    });
    return this.#checking;
  }

  async #check(read: (permission: Permission) => Promise<CheckedAccess | null>, now: () => number): Promise<void> {
    let [at, access] = [now(), null as CheckedAccess | null];
    do {
      this.#stale = false;
      at = now();
      access = await read(this).catch((error) => {
        this.#stale = true;
        throw error;
      });
      // Something changed while it was asked: the answer may be from before.
    } while (access !== null && this.#stale);
    if (access === null) return this.revoke();
    const changed = access.vault.permission !== this.#vault.permission;
    this.renew(access.principal, access.vault, at);
    if (changed) for (const listener of [...this.listeners]) listener.permissionChanged();
  }

  /** The right is gone, for whoever holds on to it. */
  revoke(): void {
    this.#revoked = true;
    for (const listener of [...this.listeners]) listener.revoked();
  }

  renew(principal: Principal, vault: OpenVault, checkedAt: number): void {
    [this.#principal, this.#vault] = [principal, vault];
    this.#checkedAt = Math.max(this.#checkedAt, checkedAt);
  }
}

/** What came of a token: whose it is, if anybody's, and what it may do, if anything. */
export interface PermissionDecision {
  readonly principal: Principal | null;
  /** To be joined. */
  readonly permission: Permission | null;
}

interface CheckedAccess {
  readonly principal: Principal;
  readonly vault: OpenVault;
}

/**
 * Who may do what over sockets. A right is decided when a document is opened, again before a write whose last check is
 * over a second old, at once when something changed, and now and then anyway: what says that something changed may be lost.
 */
export class PermissionCache {
  readonly #deps: CollaborationDeps;
  readonly #permissions = new Map<string, Permission>();
  /** Grows with each word of a change: a decision made meanwhile is made again. */
  #changes = 0;

  constructor(deps: CollaborationDeps) {
    this.#deps = deps;
  }

  /** What a token may do in a vault. Rejects when that cannot be told now. */
  async decide(token: string, caller: Caller, vaultOf: () => Promise<VaultId | null>): Promise<PermissionDecision> {
    const [before, at] = [this.#changes, this.#deps.clock.now()];
    const principal = await nullIfRefused(this.#deps.hooks.authenticate(token, caller));
    const vaultId = await vaultOf();
    if (principal === null || vaultId === null) return { principal, permission: null };
    const vault = await nullIfRefused(this.#deps.vaults.openVault(principal, vaultId, 'read'));
    if (vault === null) return { principal, permission: null };
    const key = `${principal.credentialId}:${vault.id}`;
    const permission = this.#permissions.get(key) ?? new Permission(principal, vault, at);
    permission.renew(principal, vault, at);
    if (before !== this.#changes) permission.markStale();
    return { principal, permission };
  }

  /** The right to hold on to: others may have been given the same one meanwhile. */
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

  /** Whether a right was checked within the last second. */
  isFresh(permission: Permission): boolean {
    return permission.isFresh(this.#deps.clock.now(), FRESH_MS);
  }

  /** Asks again whether a right stands; its holders hear of it when it does not. Rejects when that cannot be told now. */
  refresh(permission: Permission): Promise<void> {
    return permission.check((permission) => this.#read(permission), this.#deps.clock.now);
  }

  /** Some credentials of a user may have stopped working. */
  userChanged(userId: UserId): void {
    this.#changed((permission) => permission.principal.userId === userId);
  }

  /** A vault may be gone. */
  vaultChanged(vaultId: VaultId): void {
    this.#changed((permission) => permission.vault.id === vaultId);
  }

  /** A vault is gone: that needs no asking, and who watches must hear of it before its documents go. */
  vaultDeleted(vaultId: VaultId): void {
    this.#changes += 1;
    for (const permission of [...this.#permissions.values()]) if (permission.vault.id === vaultId) permission.revoke();
  }

  /** Once a second: what is in doubt, and some of what was not looked at for long. */
  sweep(): void {
    const now = this.#deps.clock.now();
    let left = SWEEP_MAX;
    for (const permission of this.#permissions.values()) {
      if (left === 0) return;
      if (permission.isFresh(now, STALE_MS)) continue;
      left -= 1;
      this.#recheck(permission);
    }
  }

  #changed(isAffected: (permission: Permission) => boolean): void {
    this.#changes += 1;
    for (const permission of this.#permissions.values()) {
      if (!isAffected(permission)) continue;
      permission.markStale();
      this.#recheck(permission);
    }
  }

  /** In doubt it stays when this fails: no write passes, and the next sweep asks again. */
  #recheck(permission: Permission): void {
    this.refresh(permission).catch(() => undefined);
  }

  async #read({ principal, vault }: Permission): Promise<CheckedAccess | null> {
    const current = await this.#deps.hooks.recall(principal);
    if (current === null) return null;
    const opened = await nullIfRefused(this.#deps.vaults.openVault(current, vault.id, 'read'));
    return opened === null ? null : { principal: current, vault: opened };
  }
}

function keyOf({ principal, vault }: Permission): string {
  return `${principal.credentialId}:${vault.id}`;
}

/** Null for a refusal; what could not be found out is no refusal. */
async function nullIfRefused<T>(permission: Promise<T>): Promise<T | null> {
  try {
    return await permission;
  } catch (error) {
    if (error instanceof NotevaultError && error.code !== 'unavailable' && error.code !== 'internal') return null;
    throw error;
  }
}
