import type { Preferences } from '@notevault/protocol/personal.ts';

/** Under which name the account remembers the stars of a vault. */
export const nameOfStars = (vault: string) => `stars:${vault}`;

/** The ids of the starred notes of a vault, those that were starred first before the others. */
export function starsIn(preferences: Preferences | undefined, vault: string): readonly string[] {
  const stored = preferences?.[nameOfStars(vault)];
  return Array.isArray(stored) ? stored.filter((id) => typeof id === 'string') : NONE;
}

const NONE: readonly string[] = [];
