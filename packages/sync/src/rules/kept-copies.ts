import { groupBy } from '@notevault/note-text/group-by.ts';

/** Copies of what sync replaces and deletes are kept for this long. */
export const KEPT_DAYS = 30;
/** Maximum number of copies of one file; beyond it the oldest go. */
export const KEPT_PER_FILE = 20;
/** Copies younger than this stay, however many there are: a program may still write to a replaced file. */
const RECENT_MS = 15 * 60 * 1000;
const DAY_MS = 24 * 60 * 60 * 1000;

/** A copy of a file. @property since epoch milliseconds */
export interface Kept {
  /** The path that the file had. */
  readonly path: string;
  readonly since: number;
}

/** Groups copies by file: the file with the newest copy first, and of each file the newest copy first. */
export function copiesByFile<Copy extends Kept>(copies: readonly Copy[]): Map<string, Copy[]> {
  return groupBy(
    [...copies].sort((a, b) => b.since - a.since),
    ({ path }) => path,
  );
}

/** Returns the copies that are kept no longer. */
export function expiredCopies<Copy extends Kept>(copies: readonly Copy[], now: number): Copy[] {
  return [...copiesByFile(copies).values()].flatMap((ofFile) =>
    ofFile.filter(({ since }, index) => {
      const age = now - since;
      return age > KEPT_DAYS * DAY_MS || (index >= KEPT_PER_FILE && age > RECENT_MS);
    }),
  );
}
