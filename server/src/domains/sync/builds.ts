import { NotevaultError } from '@notevault/protocol/errors.ts';

/**
 * A few places for answers that read much: the others wait their turn, and past a bound are told to come back. Devices
 * that catch up would else take every connection to the database from those that write.
 */
export class Builds {
  readonly #waitingMax: number;
  readonly #waiting: (() => void)[] = [];
  #free: number;

  constructor(places: number, waitingMax: number) {
    this.#free = places;
    this.#waitingMax = waitingMax;
  }

  /** Throws `unavailable` when too many wait. */
  async run<Result>(build: () => Promise<Result>): Promise<Result> {
    if (this.#free > 0) this.#free -= 1;
    else if (this.#waiting.length >= this.#waitingMax) throw new NotevaultError('unavailable');
    // The place is handed over by whoever leaves it.
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await build();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#free += 1;
      else next();
    }
  }
}
