/** Resolves after some time; rejects with the reason of a signal that aborts. */
export type Sleep = (ms: number, signal: AbortSignal | undefined) => Promise<void>;

export const pause: Sleep = async (ms, signal) => {
  signal?.throwIfAborted();
  await new Promise<void>((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal?.addEventListener('abort', end, { once: true });
  });
  signal?.throwIfAborted();
};
