import { NotevaultError } from '@notevault/protocol/errors.ts';

/** Lets one at a time do something under a name; the others wait, each for so long. */
export class TimedKeyedLock {
  readonly #waitMs: number;
  readonly #last = new Map<string, Promise<void>>();

  constructor(waitMs: number) {
    this.#waitMs = waitMs;
  }

  /** Throws `request_in_progress` when the turn does not come in time. */
  async run<T>(name: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(name);
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#last.set(name, promise);
    const leave = () => {
      if (this.#last.get(name) === promise) this.#last.delete(name);
      resolve();
    };
    if (before !== undefined && !(await this.#wait(before))) {
      // Whoever waits behind goes on waiting for the one in front.
      void before.then(leave);
      throw new NotevaultError('request_in_progress');
    }
    try {
      return await work();
    } finally {
      leave();
    }
  }

  async #wait(turn: Promise<void>): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const timer = setTimeout(() => resolve(false), this.#waitMs);
    void turn.then(() => resolve(true));
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
    }
  }
}
