import type { Preferences } from '@notevault/protocol/personal.ts';
import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { transport } from '../session/app-session.ts';
import { keys } from './keys.ts';
import { nameOfStars, starsIn } from './stars-in.ts';

/** What the account wants its clients to remember. */
export const preferencesQuery = queryOptions({
  queryKey: keys.preferences,
  queryFn: () => transport.json<Preferences>({ method: 'GET', path: '/me/preferences' }),
});

/** More would not be a choice any more. */
const STARS_MAX = 100;

/** What is starred is shown at once; `toggle` resolves when the server has it, and rejects when it has not. */
export function useStars(vault: string): {
  readonly stars: readonly string[];
  toggle(note: string): Promise<void>;
} {
  const queries = useQueryClient();
  const { data } = useQuery(preferencesQuery);
  return {
    stars: starsIn(data, vault),
    async toggle(note) {
      const before = queries.getQueryData(keys.preferences) as Preferences | undefined;
      const stars = starsIn(before, vault);
      const next = stars.includes(note) ? stars.filter((id) => id !== note) : [...stars, note].slice(-STARS_MAX);
      const change = { [nameOfStars(vault)]: next.length === 0 ? null : next };
      queries.setQueryData(keys.preferences, { ...before, [nameOfStars(vault)]: next });
      try {
        const call = { method: 'PATCH', path: '/me/preferences', json: change } as const;
        queries.setQueryData(keys.preferences, await transport.json<Preferences>(call));
      } catch (error) {
        queries.setQueryData(keys.preferences, before);
        throw error;
      }
    },
  };
}
