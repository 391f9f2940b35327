import type { Clock } from '../../ports/clock/clock.ts';

/** A tool that does not end, or a client that does not read, takes its credential's share for at most this long. */
const HELD_MS_MAX = 30_000;

/**
 * The permit of a call. The exchange with the client holds it, and so does all work of tools, which goes on for a while
 * after the client has left. It is released once, when all have ended, after 30 seconds at the latest.
 */
export class CallPermit {
  readonly #permit: Disposable;
  readonly #deadline: Disposable;
  #holders = 0;

  constructor(permit: Disposable, clock: Pick<Clock, 'schedule'>) {
    this.#permit = permit;
    this.#deadline = clock.schedule(HELD_MS_MAX, () => permit[Symbol.dispose]());
  }

  /** Holds the permit until the result is disposed of. */
  hold(): Disposable {
    this.#holders += 1;
    const held = new DisposableStack();
    held.defer(() => {
      this.#holders -= 1;
      if (this.#holders > 0) return;
      this.#deadline[Symbol.dispose]();
      this.#permit[Symbol.dispose]();
    });
    return held;
  }

  /** Holds the permit until a signal is aborted. */
  holdUntil(signal: AbortSignal): void {
    const held = this.hold();
    const release = () => held[Symbol.dispose]();
    if (signal.aborted) release();
    else signal.addEventListener('abort', release, { once: true });
  }
}
