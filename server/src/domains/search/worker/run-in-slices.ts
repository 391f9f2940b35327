import { setImmediate as nextTurn } from 'node:timers/promises';

const SLICE_MS = 10;

/** Runs steps in slices of time, so that the thread answers other requests in between. */
export async function runInSlices(steps: Generator<void, void>): Promise<void> {
  let since = performance.now();
  while (steps.next().done !== true) {
    if (performance.now() - since < SLICE_MS) continue;
    await nextTurn();
    since = performance.now();
  }
}
