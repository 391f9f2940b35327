interface Group {
  /** Under each key, the end of its last work. */
  readonly keys: Map<string, Promise<void>>;
  /** The end of the last exclusive work, while it has not ended. */
  exclusive: Promise<void> | undefined;
  users: number;
}

/** The timeout of waiting for the lock, and the error that is thrown then. */
interface WaitLimit {
  readonly ms: number;
  readonly error: () => Error;
}

/** The whole group as seen by the work that has locked it. */
interface LockedGroup {
  /** Whether other work waits for the group. */
  isAwaited(): boolean;
}

/**
 * Runs work under a key one at a time, in the order of the calls, whether it succeeds or not; other keys do not wait.
 *
 * It only saves work: without it, writers of one note would prepare against the same revision, and all but one would
 * start over. Work on a large part of a group (a move and all the links it rewrites) locks the whole group, so that its
 * plan is usually still valid when it commits. Correctness must not depend on it: other processes do not share this
 * lock, and a note has two keys, its path and its id, under which writers do not exclude each other. Writes are kept
 * apart by the vault's lock (`advance`) and the revisions and seqs that each transaction checks under it.
 */
export class KeyedLock {
  readonly #groups = new Map<string, Group>();

  /** Runs `work` when nothing else runs under the key, and nothing exclusive in its group. Throws the limit's error. */
  run<T>(group: string, key: string, work: () => Promise<T>, limit?: WaitLimit): Promise<T> {
    return this.runAll(group, [key], work, limit);
  }

  /** Like `run`, under several keys. They are locked in one step, so that two calls with common keys never deadlock. */
  async runAll<T>(group: string, keys: readonly string[], work: () => Promise<T>, limit?: WaitLimit): Promise<T> {
    const entry = this.#enter(group);
    try {
      const before = workInFront([...keys.map((key) => entry.keys.get(key)), entry.exclusive]);
      const { promise, resolve } = Promise.withResolvers<void>();
      for (const key of keys) entry.keys.set(key, promise);
      const release = () => {
        for (const key of keys) if (entry.keys.get(key) === promise) entry.keys.delete(key);
        resolve();
      };
      if (before !== undefined && limit !== undefined && !(await isOver(before, limit))) {
        // Work queued behind this one still waits for the work in front.
        void before.then(release);
        throw limit.error();
      }
      if (before !== undefined) await before;
      try {
        return await work();
      } finally {
        release();
      }
    } finally {
      this.#leave(group, entry);
    }
  }

  /** Runs `work` when nothing else runs in the group; later calls wait for it. */
  async runExclusive<T>(group: string, work: (locked: LockedGroup) => Promise<T>): Promise<T> {
    const entry = this.#enter(group);
    const before = workInFront([...entry.keys.values(), entry.exclusive]);
    const { promise, resolve } = Promise.withResolvers<void>();
    entry.exclusive = promise;
    try {
      if (before !== undefined) await before;
      return await work({ isAwaited: () => entry.users > 1 });
    } finally {
      if (entry.exclusive === promise) entry.exclusive = undefined;
      resolve();
      this.#leave(group, entry);
    }
  }

  #enter(name: string): Group {
    const entry = this.#groups.get(name) ?? { keys: new Map(), exclusive: undefined, users: 0 };
    this.#groups.set(name, entry);
    entry.users += 1;
    return entry;
  }

  #leave(name: string, entry: Group): void {
    entry.users -= 1;
    if (entry.users === 0) this.#groups.delete(name);
  }
}

/** Resolves at the end of all work; undefined in the common case that there is none. */
function workInFront(ends: readonly (Promise<void> | undefined)[]): Promise<unknown> | undefined {
  return ends.some((end) => end !== undefined) ? Promise.all(ends) : undefined;
}

/** Resolves to whether the earlier work ended in time. */
async function isOver(before: Promise<unknown>, { ms }: WaitLimit): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  using _timer = setTimeout(() => resolve(false), ms);
  void before.then(() => resolve(true));
  return await promise;
}
