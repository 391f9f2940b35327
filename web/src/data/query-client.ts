import { ApiError } from '@notevault/client/transport.ts';
import { QueryClient } from '@tanstack/react-query';

const FRESH_MS = 30_000;
const KEPT_MS = 5 * 60_000;

/** What was read from the server. Lists are also refreshed by the signals of a vault: see live-vault.ts. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: FRESH_MS,
      gcTime: KEPT_MS,
      // The transport repeats what may pass; a refusal stays one.
      retry: (failures, error) => failures < 1 && !(error instanceof ApiError),
      networkMode: 'always',
    },
    mutations: { retry: false, networkMode: 'always' },
  },
});
