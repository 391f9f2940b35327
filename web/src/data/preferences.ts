import type { Preferences } from '@notevault/protocol/personal.ts';
import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { transport } from '../session/app-session.ts';
import { keys } from './keys.ts';

/** What the account wants its clients to remember. */
export const preferencesQuery = queryOptions({
  queryKey: keys.preferences,
  queryFn: () => transport.json<Preferences>({ method: 'GET', path: '/me/preferences' }),
});

/** Remembers a value, null for none; it is shown at once, and taken back if the server does not take it. */
export async function rememberPreference(queries: QueryClient, name: string, value: unknown): Promise<void> {
  const before = queries.getQueryData<Preferences>(keys.preferences);
  queries.setQueryData(keys.preferences, { ...before, [name]: value });
  try {
    const call = { method: 'PATCH', path: '/me/preferences', json: { [name]: value } } as const;
    queries.setQueryData(keys.preferences, await transport.json<Preferences>(call));
  } catch (error) {
    queries.setQueryData(keys.preferences, before);
    throw error;
  }
}
