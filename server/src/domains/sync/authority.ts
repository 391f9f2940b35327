import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { UserId, VaultId } from '@notevault/protocol/ids.ts';
import type { Principal } from '../accounts/accounts.ts';
import type { OpenVault } from '../vaults/vaults.ts';
import type { DoorParts } from './door-parts.ts';
import type { Caller } from './peer.ts';

/** So long a check is good for a write. */
const FRESH_MS = 1000;
/** So long it is good for watching, if nobody says that something changed. */
const STALE_MS = 30_000;
/** Rights checked by one sweep, so that many sockets cost the database a trickle. */
const SWEEP_MAX = 256;

/** Whoever holds a document open under a right. */
export interface Holder {
  /** The right is gone. */
  revoked(): void;
  /** It reaches further, or less far, than before. */
  levelChanged(): void;
}

/** What one credential may do in one vault, for all documents that are open by it. */
export class Right {
  readonly holders = new Set<Holder>();
  #principal: Principal;
  #vault: OpenVault;
  #checkedAt: number;
  /** Told that something changed, and not yet checked well. */
  #doubted = false;
  #lost = false;
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
    return !this.#lost && this.#vault.level === 'write';
  }
  get doubted(): boolean {
    return this.#doubted;
  }

  isFresh(now: number, ms: number): boolean {
    return !this.#doubted && !this.#lost && now - this.#checkedAt <= ms;
  }

  doubt(): void {
    this.#doubted = true;
  }

  /** Asks again, once for all who want to know. Rejects when it cannot be told; the right is then as it was. */
  check(ask: (right: Right) => Promise<Access | null>, now: () => number): Promise<void> {
    this.#checking ??= this.#check(ask, now).finally(() => {
      this.#checking = undefined;
    });
    return this.#checking;
  }

  async #check(ask: (right: Right) => Promise<Access | null>, now: () => number): Promise<void> {
    let [at, access] = [now(), null as Access | null];
    do {
      this.#doubted = false;
      at = now();
      access = await ask(this).catch((error) => {
        this.#doubted = true;
        throw error;
      });
      // Something changed while it was asked: the answer may be from before.
    } while (access !== null && this.#doubted);
    if (access === null) return this.lose();
    const changed = access.vault.level !== this.#vault.level;
    this.renew(access.principal, access.vault, at);
    if (changed) for (const holder of [...this.holders]) holder.levelChanged();
  }

  /** The right is gone, for whoever holds on to it. */
  lose(): void {
    this.#lost = true;
    for (const holder of [...this.holders]) holder.revoked();
  }

  renew(principal: Principal, vault: OpenVault, checkedAt: number): void {
    [this.#principal, this.#vault] = [principal, vault];
    this.#checkedAt = Math.max(this.#checkedAt, checkedAt);
  }
}

/** What came of a token: whose it is, if anybody's, and what it may do, if anything. */
export interface Decision {
  readonly principal: Principal | null;
  /** To be joined. */
  readonly right: Right | null;
}

interface Access {
  readonly principal: Principal;
  readonly vault: OpenVault;
}

/**
 * Who may do what over sockets. A right is decided when a document is opened, again before a write whose last check is
 * over a second old, at once when something changed, and now and then anyway: what says that something changed may be lost.
 */
export class Authority {
  readonly #parts: DoorParts;
  readonly #rights = new Map<string, Right>();
  /** Grows with each word of a change: a decision made meanwhile is made again. */
  #changes = 0;

  constructor(parts: DoorParts) {
    this.#parts = parts;
  }

  /** What a token may do in a vault. Rejects when that cannot be told now. */
  async decide(token: string, caller: Caller, vaultOf: () => Promise<VaultId | null>): Promise<Decision> {
    const [before, at] = [this.#changes, this.#parts.clock.now()];
    const principal = await orNull(this.#parts.hooks.authenticate(token, caller));
    const vaultId = await vaultOf();
    if (principal === null || vaultId === null) return { principal, right: null };
    const vault = await orNull(this.#parts.vaults.openVault(principal, vaultId, 'read'));
    if (vault === null) return { principal, right: null };
    const key = `${principal.credentialId}:${vault.id}`;
    const right = this.#rights.get(key) ?? new Right(principal, vault, at);
    right.renew(principal, vault, at);
    if (before !== this.#changes) right.doubt();
    return { principal, right };
  }

  /** The right to hold on to: others may have been given the same one meanwhile. */
  join(decided: Right, holder: Holder): Right {
    const key = keyOf(decided);
    const right = this.#rights.get(key) ?? decided;
    this.#rights.set(key, right);
    right.holders.add(holder);
    if (decided.doubted) right.doubt();
    if (right.doubted) this.#recheck(right);
    return right;
  }

  release(right: Right, holder: Holder): void {
    right.holders.delete(holder);
    const key = keyOf(right);
    if (right.holders.size === 0 && this.#rights.get(key) === right) this.#rights.delete(key);
  }

  /** Whether a right was checked within the last second. */
  isFresh(right: Right): boolean {
    return right.isFresh(this.#parts.clock.now(), FRESH_MS);
  }

  /** Asks again whether a right stands; its holders hear of it when it does not. Rejects when that cannot be told now. */
  refresh(right: Right): Promise<void> {
    return right.check((asked) => this.#ask(asked), this.#parts.clock.now);
  }

  /** Some credentials of a user may have stopped working. */
  userChanged(userId: UserId): void {
    this.#changed((right) => right.principal.userId === userId);
  }

  /** A vault may be gone. */
  vaultChanged(vaultId: VaultId): void {
    this.#changed((right) => right.vault.id === vaultId);
  }

  /** A vault is gone: that needs no asking, and who watches must hear of it before its documents go. */
  vaultGone(vaultId: VaultId): void {
    this.#changes += 1;
    for (const right of [...this.#rights.values()]) if (right.vault.id === vaultId) right.lose();
  }

  /** Once a second: what is in doubt, and some of what was not looked at for long. */
  sweep(): void {
    const now = this.#parts.clock.now();
    let left = SWEEP_MAX;
    for (const right of this.#rights.values()) {
      if (left === 0) return;
      if (right.isFresh(now, STALE_MS)) continue;
      left -= 1;
      this.#recheck(right);
    }
  }

  #changed(concerns: (right: Right) => boolean): void {
    this.#changes += 1;
    for (const right of this.#rights.values()) {
      if (!concerns(right)) continue;
      right.doubt();
      this.#recheck(right);
    }
  }

  /** In doubt it stays when this fails: no write passes, and the next sweep asks again. */
  #recheck(right: Right): void {
    this.refresh(right).catch(() => undefined);
  }

  async #ask({ principal, vault }: Right): Promise<Access | null> {
    const recalled = await this.#parts.hooks.recall(principal);
    if (recalled === null) return null;
    const opened = await orNull(this.#parts.vaults.openVault(recalled, vault.id, 'read'));
    return opened === null ? null : { principal: recalled, vault: opened };
  }
}

function keyOf({ principal, vault }: Right): string {
  return `${principal.credentialId}:${vault.id}`;
}

/** Null for a refusal; what could not be found out is no refusal. */
async function orNull<T>(asked: Promise<T>): Promise<T | null> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof NotevaultError && error.code !== 'unavailable' && error.code !== 'internal') return null;
    throw error;
  }
}
