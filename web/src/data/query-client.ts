import { ApiError } from '@notevault/client/transport.ts';
import { QueryClient, type QueryFunction } from '@tanstack/react-query';
import { isOwnDevice } from '../session/own-device.ts';

const FRESH_MS = 30_000;
const KEPT_MS = 5 * 60_000;

/** Cache of the server's answers. Signals of a vault also refresh its lists: see live-vault.ts. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: FRESH_MS,
      gcTime: KEPT_MS,
      // The transport repeats what may pass; a refusal stays one.
      retry: (failures, error) => failures < 1 && !(error instanceof ApiError),
      networkMode: 'always',
      // Queries that failed offline are read again when the network is back.
      refetchOnReconnect: ({ state }) => state.status === 'error',
      persister: orFromDevice,
    },
    mutations: { retry: false, networkMode: 'always' },
  },
});

/** Reads a list from the server, or from this device while that is away. */
async function orFromDevice<List, Key extends readonly unknown[], Page>(
  ask: QueryFunction<List, Key, Page>,
  context: Parameters<QueryFunction<List, Key, Page>>[0],
): Promise<List> {
  if (!isOwnDevice()) return ask(context);
  // Only where it may be needed: in the code of what is loaded first there is no place for it.
  const { keptLists, isKeptList } = await import('./current-lists.ts');
  return isKeptList(context.queryKey) ? keptLists().answer(context.queryKey, async () => ask(context)) : ask(context);
}
