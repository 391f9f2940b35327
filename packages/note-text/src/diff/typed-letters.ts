/** Recognises stretches that only gained or lost some letters, as opposed to new text. */

import { withBudget } from './budget.ts';
import type { Edit } from './diff.ts';
import { compareTokens } from './myers.ts';
import { letters } from './tokens.ts';

/** Maximum ratio of two texts' lengths; a longer text may contain the other's letters by chance. */
const GROWTH_MAX = 3;
/** Maximum number of differing letters in the shorter text, which also must not exceed a quarter of its letters. */
const STRAYS_MAX = 16;
/** Steps as of `minimalDiff`, past which a text counts as written anew. */
const WORK = 300_000;

/**
 * Returns an edit of a text letter by letter if what it removes and what it inserts have nearly all letters of the
 * shorter one in common, in order and in stretches; null for a text that was written anew.
 */
export function typedLetters(before: string, { at, remove, insert }: Edit): Edit[] | null {
  const [fewer, more] = [Math.min(remove, insert.length), Math.max(remove, insert.length)];
  if (fewer === 0 || more > fewer * GROWTH_MAX) return null;
  const removed = before.slice(at, at + remove);
  const whole = { aFrom: 0, aTo: remove, bFrom: 0, bTo: insert.length };
  const strays = Math.min(fewer >> 2, STRAYS_MAX);
  const { hunks, rest } = withBudget(WORK, WORK, (budget) =>
    compareTokens(removed, insert, whole, letters, more - fewer + 2 * strays, budget),
  );
  if (rest !== null || hunks.length * 2 > fewer + 1) return null;
  const edits = hunks.map(({ aFrom, aTo, bFrom, bTo }) => ({
    at: at + aFrom,
    remove: aTo - aFrom,
    insert: insert.slice(bFrom, bTo),
  }));
  const lost = edits.reduce((sum, edit) => sum + edit.remove, 0);
  return Math.min(lost, lost - remove + insert.length) <= strays ? edits : null;
}
