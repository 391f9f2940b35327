import { performance } from 'node:perf_hooks';

/** Additional periods for a body, because in a busy process it gets its turns late. */
export const LATE_PERIODS = 2;
/** Share of a period in which the event loop of a busy process did not rest. */
const BUSY_SHARE = 0.5;

/** Detects a body that leaves its handle unused for too long, while others wait for its connection. */
export class TransactionWatchdog implements Disposable {
  readonly #timer: NodeJS.Timeout;
  #calls = 0;
  #late = 0;

  /** @param utilization of the event loop, see `performance.eventLoopUtilization`. */
  constructor(idleMs: number, leftOpen: () => void, utilization = performance.eventLoopUtilization) {
    let since = utilization();
    this.#timer = setTimeout(() => {
      const isBusy = utilization(since).utilization > BUSY_SHARE;
      since = utilization();
      // The time of a running call is the database's own, which the statement timeout bounds.
      if (this.#calls > 0 || (isBusy && this.#late++ < LATE_PERIODS)) this.#timer.refresh();
      else leftOpen();
    }, idleMs);
    this.#timer.unref();
  }

  /** Records a call that ended before anything else could run. */
  used(): void {
    this.#late = 0;
    this.#timer.refresh();
  }

  called(): void {
    this.#calls++;
  }

  returned(): void {
    this.#calls--;
    this.used();
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
  }
}
