import { useSuspenseQuery } from '@tanstack/react-query';
import { Navigate, useSearch } from '@tanstack/react-router';
import { lazy } from 'react';
import { vaultsQuery } from '../data/queries.ts';
import { loadTexts } from '../i18n/i18n.ts';
import { importOrReload } from '../page/import-or-reload.ts';
import { firstVault } from '../page/last-vault.ts';

const Welcome = lazy(async () => {
  const [module] = await Promise.all([
    importOrReload(() => import('../pages/welcome/welcome.tsx')),
    loadTexts('welcome'),
  ]);
  return { default: module.Welcome };
});

/** Goes to the vault that was open last; an account without one is led through the first steps. */
export function Home() {
  const { data } = useSuspenseQuery(vaultsQuery);
  const { welcome, open } = useSearch({ strict: false });
  const vault = firstVault(data);
  if (welcome !== undefined) return <Welcome wanted={welcome} />;
  // In the address, so that making the vault does not end the steps.
  if (vault === null) return <Navigate to="/" search={{ welcome: 'notes' }} replace />;
  if (open === 'search') return <Navigate to="/vaults/$vaultId/search" params={{ vaultId: vault.id }} replace />;
  return <Navigate to="/vaults/$vaultId" params={{ vaultId: vault.id }} replace />;
}
