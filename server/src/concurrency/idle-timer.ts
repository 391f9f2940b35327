/** Calls a function some time after the last use of something has ended. */
export class IdleTimer implements Disposable {
  readonly #ms: number;
  readonly #schedule: (ms: number, run: () => void) => Disposable;
  readonly #idle: () => void;
  #uses = 0;
  #timer: Disposable | undefined;

  constructor(ms: number, schedule: (ms: number, run: () => void) => Disposable, idle: () => void) {
    this.#ms = ms;
    this.#schedule = schedule;
    this.#idle = idle;
  }

  /** A use begins; it ends when the result is disposed of. */
  use(): Disposable {
    this.#uses += 1;
    this[Symbol.dispose]();
    return {
      [Symbol.dispose]: () => {
        this.#uses -= 1;
        if (this.#uses > 0) return;
        this.#timer = this.#schedule(this.#ms, () => {
          this.#timer = undefined;
          this.#idle();
        });
      },
    };
  }

  [Symbol.dispose](): void {
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
  }
}
