import type { Preferences } from '@notevault/protocol/personal.ts';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { keys } from './keys.ts';
import { preferencesQuery, rememberPreferences } from './preferences.ts';
import { nameOfStars, starsIn } from './stars-in.ts';

/** More would not be a choice any more. */
const STARS_MAX = 100;

/**
 * Returns the starred notes and `toggle`, which shows the change at once, resolves when the server has stored it, and
 * rejects when that failed.
 */
export function useStars(vault: string): {
  readonly stars: readonly string[];
  toggle(note: string): Promise<void>;
} {
  const queries = useQueryClient();
  const { data } = useQuery(preferencesQuery);
  return {
    stars: starsIn(data, vault),
    async toggle(note) {
      const stars = starsIn(queries.getQueryData<Preferences>(keys.preferences), vault);
      const next = stars.includes(note) ? stars.filter((id) => id !== note) : [...stars, note].slice(-STARS_MAX);
      await rememberPreferences(queries, { [nameOfStars(vault)]: next.length === 0 ? null : next });
    },
  };
}
