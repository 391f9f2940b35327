import type { Vault } from '@notevault/protocol/vaults.ts';

const STORED = 'notevault-last-vault';

export function rememberVault(id: string): void {
  localStorage.setItem(STORED, id);
}

/**
 * The vault to open first: the last one in this browser, else the default one, which is never a shared one; null if
 * there is none.
 */
export function firstVault(vaults: readonly Vault[]): Vault | null {
  const last = localStorage.getItem(STORED);
  return vaults.find(({ id }) => id === last) ?? vaults.find(({ is_default }) => is_default) ?? vaults[0] ?? null;
}
