import type { Clock } from '../engine/ports.ts';

/**
 * Wakes one waiter. Calls while nobody waits are remembered, and calls that come close together count once.
 */
export class WakeUp {
  readonly #clock: Pick<Clock, 'sleep'>;
  #isCalled = false;
  #wake: (() => void) | null = null;

  constructor(clock: Pick<Clock, 'sleep'>) {
    this.#clock = clock;
  }

  call(): void {
    this.#isCalled = true;
    this.#wake?.();
  }

  /** Resolves at the next call, after `ms`, or when the signal aborts. */
  async wait(ms: number, signal: AbortSignal): Promise<void> {
    if (!this.#isCalled && !signal.aborted) {
      const end = new AbortController();
      await new Promise<void>((resolve) => {
        const wake = () => resolve();
        this.#wake = wake;
        // The signal lives as long as the process, and would keep every listener.
        signal.addEventListener('abort', wake, { once: true, signal: end.signal });
        this.#clock.sleep(ms, end.signal).then(wake, wake);
      });
      end.abort();
      this.#wake = null;
    }
    this.#isCalled = false;
  }
}
