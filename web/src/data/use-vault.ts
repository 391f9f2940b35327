import { useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { vaultsQuery } from './queries.ts';
import { type Role, roleOf } from './role.ts';

const route = getRouteApi('/vaults/$vaultId');

/** The id of the vault in the address. */
export function useVaultId(): string {
  return route.useParams().vaultId;
}

/** The vault in the address; null if this account has no such vault. */
export function useVault() {
  const id = useVaultId();
  return useSuspenseQuery(vaultsQuery).data.find((vault) => vault.id === id) ?? null;
}

/** Returns the account's role in a vault. */
export function useRole(id: string): Role {
  return roleOf(useSuspenseQuery(vaultsQuery).data.find((vault) => vault.id === id) ?? null);
}

/** Whether the account may change anything in a vault. */
export function useCanWrite(id: string): boolean {
  return useRole(id) !== 'viewer';
}
