/** How long work waits for the lock, and the error thrown after that time. */
interface WaitLimit {
  readonly ms: number;
  readonly error: () => Error;
}

/** The lock as seen by the work that holds it. */
interface HeldLock {
  /** Whether other work waits for the same key. */
  isAwaited(): boolean;
}

/** Runs work under a key one at a time, in the order of the calls; other keys do not wait. */
export class KeyedMutex {
  /** The end of the last work under each key. */
  readonly #last = new Map<string, Promise<void>>();

  /** Runs `work` once all earlier work under the key has ended, whether it succeeded or not. */
  async run<Result>(key: string, work: (lock: HeldLock) => Promise<Result>, limit?: WaitLimit): Promise<Result> {
    const before = this.#last.get(key);
    const { promise: ended, resolve } = Promise.withResolvers<void>();
    this.#last.set(key, ended);
    const release = () => {
      if (this.#last.get(key) === ended) this.#last.delete(key);
      resolve();
    };
    if (before !== undefined && !(await isOver(before, limit))) {
      // Work queued behind this one still waits for the work in front.
      void before.then(release);
      throw limit?.error() ?? new Error('the lock was not free in time');
    }
    try {
      return await work({ isAwaited: () => this.#last.get(key) !== ended });
    } finally {
      release();
    }
  }
}

/** Resolves to whether the earlier work ended in time. */
async function isOver(before: Promise<void>, limit: WaitLimit | undefined): Promise<boolean> {
  if (limit === undefined) return before.then(() => true);
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => resolve(false), limit.ms);
  void before.then(() => resolve(true));
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
  }
}
