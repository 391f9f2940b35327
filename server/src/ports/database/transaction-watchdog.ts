/** Detects a body that leaves its handle unused for too long, while others wait for its connection. */
export class TransactionWatchdog implements Disposable {
  readonly #timer: NodeJS.Timeout;
  #calls = 0;

  constructor(idleMs: number, leftOpen: () => void) {
    this.#timer = setTimeout(() => {
      // The time of a running call is the database's own, which the statement timeout bounds.
      if (this.#calls > 0) this.#timer.refresh();
      else leftOpen();
    }, idleMs);
    this.#timer.unref();
  }

  /** Records a call that ended before anything else could run. */
  used(): void {
    this.#timer.refresh();
  }

  called(): void {
    this.#calls++;
  }

  returned(): void {
    this.#calls--;
    this.#timer.refresh();
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
  }
}
