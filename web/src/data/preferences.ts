import type { Preferences } from '@notevault/protocol/personal.ts';
import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { transport } from '../session/app-session.ts';
import { keys } from './keys.ts';

/** Preferences that the account's clients share. */
export const preferencesQuery = queryOptions({
  queryKey: keys.preferences,
  queryFn: () => transport.json<Preferences>({ method: 'GET', path: '/me/preferences' }),
});

/** Remembers values by name, null for none; they are shown at once, and taken back if the server does not take them. */
export async function rememberPreferences(queries: QueryClient, values: Preferences): Promise<void> {
  const before = queries.getQueryData<Preferences>(keys.preferences);
  queries.setQueryData(keys.preferences, { ...before, ...values });
  try {
    const call = { method: 'PATCH', path: '/me/preferences', json: values } as const;
    const now = await transport.json<Preferences>(call);
    // A running read may return the old value.
    await queries.cancelQueries({ queryKey: keys.preferences });
    queries.setQueryData(keys.preferences, now);
  } catch (error) {
    queries.setQueryData(keys.preferences, before);
    throw error;
  }
}
