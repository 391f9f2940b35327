import { useSuspenseQuery } from '@tanstack/react-query';
import { Navigate } from '@tanstack/react-router';
import { lazy } from 'react';
import { vaultsQuery } from '../data/queries.ts';
import { importOrReload } from './import-or-reload.ts';
import { firstVault } from './last-vault.ts';

const FirstVault = lazy(() =>
  importOrReload(() => import('../vault/first-vault.tsx')).then((page) => ({ default: page.FirstVault })),
);

/** Goes to the vault that was open last; an account without one makes its first. */
export function Home() {
  const { data } = useSuspenseQuery(vaultsQuery);
  const vault = firstVault(data);
  if (vault === null) return <FirstVault />;
  return <Navigate to="/vaults/$vaultId" params={{ vaultId: vault.id }} replace />;
}
