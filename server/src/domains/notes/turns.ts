/**
 * Lets one at a time do something under a key, in the order of asking; other keys are not held up.
 *
 * Writers of one note would otherwise prepare against the same stamp, of which one wins and the others start over.
 */
export class Turns {
  readonly #last = new Map<string, Promise<void>>();

  async take<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(key);
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#last.set(key, promise);
    await before;
    try {
      return await work();
    } finally {
      if (this.#last.get(key) === promise) this.#last.delete(key);
      resolve();
    }
  }
}
