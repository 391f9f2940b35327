/** How far the clocks of a machine may have been apart before it counts as wrong. */
const TOLERANCE_MS = 2 * 3_600_000;

/**
 * The latest time that a right clock can have stored. A later one was stored by a clock that was ahead, and counts as
 * unknown: otherwise it would hold up work until that date.
 *
 * @param spanMs how far ahead such a time is stored; 0 for times in the past.
 */
export function latestPlausible(now: number, spanMs = 0): number {
  return now + spanMs + TOLERANCE_MS;
}
