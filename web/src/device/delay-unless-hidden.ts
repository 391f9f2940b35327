/** Part of `Document` that is used here. */
export interface Hideable {
  readonly visibilityState: string;
  addEventListener(event: 'visibilitychange', call: () => void): void;
}

/**
 * Returns a function that calls others once, after some milliseconds; at once where the page is out of sight or comes
 * to be, because the timers of such a page may never end.
 */
export function delayUnlessHidden(page: Hideable, milliseconds: number): (call: () => void) => void {
  const waiting = new Set<() => void>();
  page.addEventListener('visibilitychange', () => {
    for (const run of page.visibilityState === 'hidden' ? [...waiting] : []) run();
  });
  return (call) => {
    const run = () => {
      clearTimeout(timer);
      if (waiting.delete(run)) call();
    };
    const timer = setTimeout(run, milliseconds);
    waiting.add(run);
    if (page.visibilityState === 'hidden') run();
  };
}
