const FIRST_MS = 1000;
const LONGEST_MS = 60_000;

/** After how long to try again after so many failures, at different times on each device. */
export function retryDelay(failures: number): number {
  return Math.min(LONGEST_MS, FIRST_MS * 2 ** failures) * (0.5 + Math.random() / 2);
}
