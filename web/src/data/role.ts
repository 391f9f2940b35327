import type { Vault } from '@notevault/protocol/vaults.ts';

export type Role = NonNullable<Vault['role']>;

/** Returns the account's role in a vault: owner if the server sends no role, viewer without a vault. */
export function roleOf(vault: Pick<Vault, 'role'> | null): Role {
  return vault === null ? 'viewer' : (vault.role ?? 'owner');
}

/** Own vaults first, each group in the order of the server. */
export function ownFirst(vaults: readonly Vault[]): readonly Vault[] {
  const isOwn = (vault: Vault) => roleOf(vault) === 'owner';
  return [...vaults.filter(isOwn), ...vaults.filter((vault) => !isOwn(vault))];
}
