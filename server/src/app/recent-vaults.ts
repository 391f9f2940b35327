import { hash } from 'node:crypto';
import type { OpenVault } from '../domains/foundation/access/access.ts';

/** Each keeps the keys of a vault in memory. */
const REMEMBERED_MAX = 2000;

/**
 * Caches the vault that each credential opened last, so that the next read can start while the credential is checked.
 * It is only a guess: the credential may have been revoked since, or the vault deleted.
 */
export class RecentVaults {
  readonly #max: number;
  readonly #vaults = new Map<string, OpenVault>();

  constructor(max = REMEMBERED_MAX) {
    this.#max = max;
  }

  /** Returns the vault that requests with these headers opened last; undefined when none is remembered. */
  find(credential: string): OpenVault | undefined {
    return this.#vaults.get(credential);
  }

  /**
   * Remembers the vault that a request was just allowed to use. Returns the previously cached object if it is
   * unchanged: then data prefetched with it is valid for this vault.
   */
  confirm(credential: string, vault: OpenVault): OpenVault {
    const known = this.#vaults.get(credential);
    if (known !== undefined && isSame(known, vault)) return known;
    this.#vaults.delete(credential);
    this.#vaults.set(credential, vault);
    const [oldest] = this.#vaults.keys();
    if (this.#vaults.size > this.#max && oldest !== undefined) this.#vaults.delete(oldest);
    return vault;
  }

  forget(credential: string): void {
    this.#vaults.delete(credential);
  }

  clear(): void {
    this.#vaults.clear();
  }
}

/** Names the credential and the vault of a request by a hash, because a secret must not be kept. */
export function credentialName(authorization: string, vaultHeader: string): string {
  return hash('sha256', `${vaultHeader}\n${authorization}`, 'base64');
}

function isSame(a: OpenVault, b: OpenVault): boolean {
  return (
    a.id === b.id &&
    a.ownerId === b.ownerId &&
    a.callerId === b.callerId &&
    a.role === b.role &&
    a.permission === b.permission &&
    a.key === b.key &&
    a.feedEpoch === b.feedEpoch &&
    a.rightsVersion === b.rightsVersion &&
    a.plan === b.plan &&
    a.tier === b.tier
  );
}
