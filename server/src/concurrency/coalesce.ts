import { runShared } from './tenant.ts';

/** The run under one key, and the run requested since it began. */
interface Run<Result> {
  readonly now: Promise<Result>;
  next: Promise<Result> | undefined;
}

/**
 * Runs one piece of work at a time under each key. Calls during a run share the next one, because the running one may
 * have read its input already.
 */
export class Coalescer<Key, Result = void> {
  readonly #runs = new Map<Key, Run<Result>>();

  run(key: Key, work: () => Promise<Result>): Promise<Result> {
    const run = this.#runs.get(key);
    if (run === undefined) return this.#begin(key, work);
    run.next ??= run.now.catch(() => {}).then(() => this.#begin(key, work));
    return run.next;
  }

  /** Waits until nothing runs, however it ends. */
  async idle(): Promise<void> {
    await Promise.allSettled([...this.#runs.values()].map(({ now }) => now));
  }

  #begin(key: Key, work: () => Promise<Result>): Promise<Result> {
    const now = runShared(work).finally(() => {
      const run = this.#runs.get(key);
      if (run?.now === now && run.next === undefined) this.#runs.delete(key);
    });
    this.#runs.set(key, { now, next: undefined });
    return now;
  }
}
