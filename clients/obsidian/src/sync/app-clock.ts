import type { Clock } from '@notevault/sync/engine/ports.ts';

/** Waits by the timers of a window: those of the app’s main window end with it. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const end = () => {
      window.clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = window.setTimeout(() => {
      signal?.removeEventListener('abort', end);
      resolve();
    }, ms);
    signal?.addEventListener('abort', end, { once: true });
  });
}

export const appClock: Clock = {
  now: () => Date.now(),
  ticks: () => performance.now(),
  sleep,
  uuid: () => crypto.randomUUID(),
};
