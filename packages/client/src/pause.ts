/** Function that resolves after a delay, or rejects with the signal's reason once it aborts. */
export type Sleep = (ms: number, signal: AbortSignal | undefined) => Promise<void>;

export const pause: Sleep = async (ms, signal) => {
  signal?.throwIfAborted();
  await new Promise<void>((resolve) => {
    const end = () => {
      cancel();
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const cancel = after(ms, end);
    signal?.addEventListener('abort', end, { once: true });
  });
  signal?.throwIfAborted();
};

/** Calls a function once after some time, unless the function that this returns is called before. */
export function after(ms: number, call: () => void): () => void {
  // Not as those of `window`, as the app of a plugin wants them: Node has none.
  const [start, stop] = [setTimeout, clearTimeout];
  const timer = start(call, ms);
  return () => stop(timer);
}
