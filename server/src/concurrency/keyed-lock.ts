/** What waits and works under one group: readers of the group by key, or one that is alone. */
interface Group {
  /** Ends of the last work under each key. */
  readonly keys: Map<string, Promise<void>>;
  /** End of the last work that was alone. */
  exclusive: Promise<void>;
  users: number;
}

/**
 * Lets one at a time do something under a key, in the order of asking; other keys are not held up.
 *
 * It only spares work: writers of one note would otherwise prepare against the same revision, of which one wins and the
 * others start over. Work that touches much of a group (a move and every link it rewrites) takes the group for itself,
 * so that what it prepared mostly still holds when it commits. Nothing may rest on it: other processes take no turns here,
 * and a note has two keys, its path's and its id, under which writers do not exclude each other. What keeps writes apart
 * is the vault's lock (`advance`) with the revisions and seqs that each transaction checks under it.
 */
export class KeyedLock {
  readonly #groups = new Map<string, Group>();

  /** Runs `work` when nothing else runs under the key, and nothing alone in its group. */
  run<T>(group: string, key: string, work: () => Promise<T>): Promise<T> {
    return this.runAll(group, [key], work);
  }

  /** As `take`, under several keys. They are asked for at once: two that want some of the same never wait for each other. */
  runAll<T>(group: string, keys: readonly string[], work: () => Promise<T>): Promise<T> {
    return this.#within(group, async (entry) => {
      const before = Promise.all([...keys.map((key) => entry.keys.get(key)), entry.exclusive]);
      const { promise, resolve } = Promise.withResolvers<void>();
      for (const key of keys) entry.keys.set(key, promise);
      await before;
      try {
        return await work();
      } finally {
        for (const key of keys) if (entry.keys.get(key) === promise) entry.keys.delete(key);
        resolve();
      }
    });
  }

  /** Runs `work` when nothing else runs in the group; what comes later waits for it. */
  runExclusive<T>(group: string, work: () => Promise<T>): Promise<T> {
    return this.#within(group, async (entry) => {
      const before = Promise.all([...entry.keys.values(), entry.exclusive]);
      const { promise, resolve } = Promise.withResolvers<void>();
      entry.exclusive = promise;
      await before;
      try {
        return await work();
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
