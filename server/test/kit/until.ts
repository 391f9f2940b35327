import type { TestClock } from './clock.ts';

/** The longest wait for an event, long enough that a busy machine is not taken for a fault. */
const PATIENCE_MS = 60_000;

/**
 * Polls a condition; resolves when it holds, and rejects after the longest wait. What takes long is asked less often.
 *
 * @param patienceMs the longest wait, for what a thread of lowered priority does: beside other work it hardly runs.
 */
export function until(
  holds: () => boolean | Promise<boolean>,
  what: string | (() => string) = 'what was waited for',
  patienceMs = PATIENCE_MS,
): Promise<void> {
  return poll(holds, what, (waited) => 1 + waited / 20, patienceMs);
}

/** Like `until`, while time passes on the clock: for what the server does only after some time. */
export function untilInTime(
  clock: TestClock,
  holds: () => boolean | Promise<boolean>,
  what: string | (() => string) = 'what was waited for',
): Promise<void> {
  const holdsLater = () => {
    clock.advance({ ms: 10 });
    return holds();
  };
  return poll(holdsLater, what, () => 1);
}

/** @param rest returns the milliseconds until the next look, after those that were waited. */
async function poll(
  holds: () => boolean | Promise<boolean>,
  what: string | (() => string),
  rest: (waited: number) => number,
  patienceMs = PATIENCE_MS,
): Promise<void> {
  const from = performance.now();
  while (!(await holds())) {
    const waited = performance.now() - from;
    if (waited > patienceMs) throw new Error(`${typeof what === 'string' ? what : what()} did not come about`);
    await new Promise((resolve) => setTimeout(resolve, rest(waited)));
  }
}

/** Waits for work while time passes on the clock, see untilInTime. */
export async function inTime<T>(clock: TestClock, work: Promise<T>): Promise<T> {
  let ended = false;
  const end = () => {
    ended = true;
  };
  work.then(end, end);
  await untilInTime(clock, () => ended);
  return work;
}

/**
 * Runs the event loop for some turns, so that everything that has arrived is processed. For events that must not
 * happen, where there is nothing to wait for.
 */
export async function turns(count = 50): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
}

/** Keeps the event loop busy for at least this long. */
export function busyFor(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}
