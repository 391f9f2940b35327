import { FairSemaphore } from '../../../concurrency/semaphore.ts';
import type { Clock } from '../../../ports/clock/clock.ts';

/** A tool that does not end, or a client that does not read, takes its credential's share for at most this long. */
const HELD_MS_MAX = 30_000;
/** Maximum requests in a batch; the library refuses longer ones. */
const BATCH_MAX = 100;

/**
 * The permit of a call, or of a batch whose concurrent calls are limited by its units. The exchange with the client
 * holds it, and so does the work of tools, which continues for a while after the client has left. It is released once,
 * when all have ended or after 30 seconds.
 */
export class CallPermit {
  readonly #permit: Disposable;
  readonly #deadline: Disposable;
  readonly #running: FairSemaphore;
  #holders = 0;

  constructor(permit: Disposable, units: number, clock: Pick<Clock, 'schedule'>) {
    this.#permit = permit;
    this.#running = new FairSemaphore({
      units,
      unitsPerTenant: units,
      waiting: BATCH_MAX,
      waitingPerTenant: BATCH_MAX,
    });
    this.#deadline = clock.schedule(HELD_MS_MAX, () => permit[Symbol.dispose]());
  }

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

  /** Resolves at the tool's turn; holds the permit until disposed of. Throws the signal's reason if aborted before. */
  async begin(signal: AbortSignal): Promise<Disposable> {
    using held = new DisposableStack();
    held.use(this.hold());
    held.use(await this.#running.acquire('', 1, signal));
    return held.move();
  }

  holdUntil(signal: AbortSignal): void {
    const held = this.hold();
    const release = () => held[Symbol.dispose]();
    if (signal.aborted) release();
    else signal.addEventListener('abort', release, { once: true });
  }
}
