/** Tells when everything that was added is on disk. */
export class Durability {
  #all: Promise<unknown> = Promise.resolve();

  /** Adds work that ends when something is on disk. */
  add(work: Promise<unknown>): void {
    this.#all = Promise.all([this.#all, work]);
    // Callers that wait get the failure; there may be none.
    this.#all.catch(() => {});
  }

  /** Resolves when everything added so far is on disk; rejects when any of it failed, now or before. */
  async reached(): Promise<void> {
    await this.#all;
  }
}
