import { runShared } from './owner.ts';

/** What runs under one key, and what was asked for since it began. */
interface Run {
  readonly now: Promise<void>;
  next: Promise<void> | undefined;
}

/** Lets one run of some work go on under each key. Whoever asks while one runs shares the next: what runs may have looked already. */
export class Coalescer<Key> {
  readonly #runs = new Map<Key, Run>();

  run(key: Key, work: () => Promise<void>): Promise<void> {
    const run = this.#runs.get(key);
    if (run === undefined) return this.#begin(key, work);
    run.next ??= run.now.catch(() => {}).then(() => this.#begin(key, work));
    return run.next;
  }

  /** Waits for what runs, however it ends. */
  async idle(): Promise<void> {
    await Promise.allSettled([...this.#runs.values()].map(({ now }) => now));
  }

  #begin(key: Key, work: () => Promise<void>): Promise<void> {
    const now = runShared(work).finally(() => {
      const run = this.#runs.get(key);
      if (run?.now === now && run.next === undefined) this.#runs.delete(key);
    });
    this.#runs.set(key, { now, next: undefined });
    return now;
  }
}
