import { setImmediate as nextTurn } from 'node:timers/promises';

const SLICE_MS = 10;

/** Runs steps in slices of time, so that the thread answers other requests in between; resolves to their result. */
export async function runInSlices<Result>(steps: Generator<void, Result>): Promise<Result> {
  let since = performance.now();
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    if (performance.now() - since < SLICE_MS) continue;
    await nextTurn();
    since = performance.now();
  }
}
