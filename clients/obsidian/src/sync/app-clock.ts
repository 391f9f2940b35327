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

/** A task of the page that is longer keeps a key waiting for longer than people notice. */
const TASK_MS = 25;

/** Returns a function that yields to the app if the page has been busy for a while. */
export function restful(): () => Promise<void> {
  let since = performance.now();
  let turn: Promise<void> | null = null;
  return async () => {
    if (turn === null && performance.now() - since < TASK_MS) return;
    turn ??= nextTask().finally(() => {
      since = performance.now();
      turn = null;
    });
    await turn;
  };
}

/** No timer: those of a page that is out of sight are late. */
async function nextTask(): Promise<void> {
  const { port1, port2 } = new MessageChannel();
  await new Promise<void>((resolve) => {
    port1.onmessage = () => resolve();
    port2.postMessage(null);
  });
  port1.close();
}

export const appClock: Clock = {
  now: () => Date.now(),
  ticks: () => performance.now(),
  sleep,
  uuid: () => crypto.randomUUID(),
};
