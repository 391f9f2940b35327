import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';

/** Keeps the cached data of a vault current while the component is mounted. */
export function useLiveVault(vault: string): void {
  const queries = useQueryClient();
  useEffect(() => {
    const controller = new AbortController();
    // The socket and its protocol are loaded after the page is shown.
    void import('./live-vault.ts').then(({ followVault }) => {
      if (!controller.signal.aborted) void followVault(vault, queries, controller.signal);
    });
    return () => controller.abort();
  }, [vault, queries]);
}
