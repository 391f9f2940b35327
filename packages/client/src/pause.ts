/** Resolves after some time; rejects with the reason of a signal that aborts. */
export type Sleep = (ms: number, signal: AbortSignal | undefined) => Promise<void>;

export const pause: Sleep = (ms, signal) =>
  new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const end = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', end);
      resolve();
    }, ms);
    signal?.addEventListener('abort', end, { once: true });
  });
