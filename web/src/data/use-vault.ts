import { useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { vaultsQuery } from './queries.ts';

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
