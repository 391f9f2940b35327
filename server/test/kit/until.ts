/** What takes longer than this does not happen: so long that a busy machine is not taken for a fault. */
const PATIENCE_MS = 20_000;

/** Resolves once a condition holds, which it looks at again and again; rejects when it does not come about. */
export async function until(
  holds: () => boolean | Promise<boolean>,
  what: string | (() => string) = 'what was waited for',
): Promise<void> {
  const from = performance.now();
  while (!(await holds())) {
    if (performance.now() - from > PATIENCE_MS) {
      throw new Error(`${typeof what === 'string' ? what : what()} did not come about`);
    }
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}

/**
 * Lets the event loop go round, so that what has arrived is read and what follows from it is done: for what must not
 * happen, where there is nothing to wait for.
 */
export async function turns(count = 50): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
}
