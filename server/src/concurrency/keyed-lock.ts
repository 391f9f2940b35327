/** The state of one group: the work under each of its keys, and the work that has locked the whole group. */
interface Group {
  /** Under each key, the end of its last work. */
  readonly keys: Map<string, Promise<void>>;
  /** The end of the last exclusive work. */
  exclusive: Promise<void>;
  users: number;
}

/** How long work waits for the lock, and the error thrown after that time. */
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
 * It only saves work: without it, writers of one note would prepare against the same revision, one would win and the
 * others start over. Work on a large part of a group (a move and all the links it rewrites) locks the whole group, so
 * that what it prepared is mostly still valid when it commits. Correctness must not depend on it: other processes do
 * not share this lock, and a note has two keys, its path and its id, under which writers do not exclude each other.
 * What keeps writes apart is the vault's lock (`advance`), with the revisions and seqs that each transaction checks
 * under it.
 */
export class KeyedLock {
  readonly #groups = new Map<string, Group>();

  /** Runs `work` when nothing else runs under the key, and nothing exclusive in its group. Throws the limit's error. */
  run<T>(group: string, key: string, work: () => Promise<T>, limit?: WaitLimit): Promise<T> {
    return this.runAll(group, [key], work, limit);
  }

  /** Like `run`, under several keys. They are locked in one step, so that two calls with common keys never deadlock. */
  runAll<T>(group: string, keys: readonly string[], work: () => Promise<T>, limit?: WaitLimit): Promise<T> {
    return this.#within(group, async (entry) => {
      const before = Promise.all([...keys.map((key) => entry.keys.get(key)), entry.exclusive]);
      const { promise, resolve } = Promise.withResolvers<void>();
      for (const key of keys) entry.keys.set(key, promise);
      const release = () => {
        for (const key of keys) if (entry.keys.get(key) === promise) entry.keys.delete(key);
        resolve();
      };
      if (limit !== undefined && !(await isOver(before, limit))) {
        // Work queued behind this one still waits for the work in front.
        void before.then(release);
        throw limit.error();
      }
      await before;
      try {
        return await work();
      } finally {
        release();
      }
    });
  }

  /** Runs `work` when nothing else runs in the group; later calls wait for it. */
  runExclusive<T>(group: string, work: (locked: LockedGroup) => Promise<T>): Promise<T> {
    return this.#within(group, async (entry) => {
      const before = Promise.all([...entry.keys.values(), entry.exclusive]);
      const { promise, resolve } = Promise.withResolvers<void>();
      entry.exclusive = promise;
      await before;
      try {
        return await work({ isAwaited: () => entry.users > 1 });
      } finally {
        resolve();
      }
    });
  }

  async #within<T>(name: string, work: (entry: Group) => Promise<T>): Promise<T> {
    const entry = this.#groups.get(name) ?? { keys: new Map(), exclusive: Promise.resolve(), users: 0 };
    this.#groups.set(name, entry);
    entry.users += 1;
    try {
      return await work(entry);
    } finally {
      entry.users -= 1;
      if (entry.users === 0) this.#groups.delete(name);
    }
  }
}

/** Resolves to whether the earlier work ended in time. */
async function isOver(before: Promise<unknown>, { ms }: WaitLimit): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => resolve(false), ms);
  void before.then(() => resolve(true));
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
  }
}
