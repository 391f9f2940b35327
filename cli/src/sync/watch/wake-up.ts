/**
 * Wakes one waiter. Calls while nobody waits are remembered, and calls that come close together count once.
 */
export class WakeUp {
  #isCalled = false;
  #wake: (() => void) | null = null;

  call(): void {
    this.#isCalled = true;
    this.#wake?.();
  }

  /** Resolves at the next call, after `ms`, or when the signal aborts. */
  async wait(ms: number, signal: AbortSignal): Promise<void> {
    if (!this.#isCalled && !signal.aborted) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, ms);
      this.#wake = resolve;
      signal.addEventListener('abort', () => resolve(), { once: true });
      await promise;
      clearTimeout(timer);
      this.#wake = null;
    }
    this.#isCalled = false;
  }
}
