/**
 * Notices a body that does not use its handle for too long: it waits for something else, while others wait for the
 * connection it holds.
 */
export class TransactionWatchdog implements Disposable {
  readonly #timer: NodeJS.Timeout;
  #calls = 0;

  constructor(idleMs: number, leftOpen: () => void) {
    this.#timer = setTimeout(() => {
      // A call under way is the database's own time, which the statement timeout bounds.
      if (this.#calls > 0) this.#timer.refresh();
      else leftOpen();
    }, idleMs);
    this.#timer.unref();
  }

  /** A call that is over before anything else can run. */
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
