import { setImmediate as nextTurn } from 'node:timers/promises';

const SLICE_MS = 5;

/** For long work on the event loop: awaited often, it lets everything else run whenever a slice of time is used up. */
export function breather(): () => Promise<void> {
  let since = performance.now();
  return async () => {
    if (performance.now() - since < SLICE_MS) return;
    await nextTurn();
    since = performance.now();
  };
}
