/** Runs a function soon after it is asked for, and then at most once in each interval. */
export function throttled(run: () => void, intervalMs: number): (() => void) & Disposable {
  let timer: ReturnType<typeof setTimeout> | null = null;
  const ask = () => {
    if (timer !== null) return;
    timer = setTimeout(() => {
      timer = null;
      run();
    }, intervalMs);
  };
  return Object.assign(ask, {
    [Symbol.dispose]() {
      if (timer !== null) clearTimeout(timer);
    },
  });
}
