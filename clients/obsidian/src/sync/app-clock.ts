import type { Clock } from '@notevault/sync/engine/ports.ts';

/** Waits by the timers of a window: those of the app’s main window end with it. */
export async function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted();
  await new Promise<void>((resolve) => {
    const end = () => {
      window.clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const timer = window.setTimeout(end, ms);
    signal?.addEventListener('abort', end, { once: true });
  });
  signal?.throwIfAborted();
}

export const appClock: Clock = {
  now: () => Date.now(),
  ticks: () => performance.now(),
  sleep,
  uuid: () => crypto.randomUUID(),
};
