/** What waits and works under one group: readers of the group by key, or one that is alone. */
interface Group {
  /** Ends of the last work under each key. */
  readonly keys: Map<string, Promise<void>>;
  /** End of the last work that was alone. */
  alone: Promise<void>;
  users: number;
}

/**
 * Lets one at a time do something under a key, in the order of asking; other keys are not held up.
 *
 * It only spares work: writers of one note would otherwise prepare against the same stamp, of which one wins and the
 * others start over. Work that touches much of a group (a move and every link it rewrites) takes the group for itself,
 * so that what it prepared mostly still holds when it commits. Nothing may rest on it: other processes take no turns here,
 * and a note has two keys, its path's and its id, under which writers do not exclude each other. What keeps writes apart
 * is the vault's lock (`advance`) with the stamps and seqs that each transaction checks under it.
 */
export class Turns {
  readonly #groups = new Map<string, Group>();

  /** Runs `work` when nothing else runs under the key, and nothing alone in its group. */
  take<T>(group: string, key: string, work: () => Promise<T>): Promise<T> {
    return this.takeAll(group, [key], work);
  }

  /** As `take`, under several keys. They are asked for at once: two that want some of the same never wait for each other. */
  takeAll<T>(group: string, keys: readonly string[], work: () => Promise<T>): Promise<T> {
    return this.#within(group, async (held) => {
      const before = Promise.all([...keys.map((key) => held.keys.get(key)), held.alone]);
      const { promise, resolve } = Promise.withResolvers<void>();
      for (const key of keys) held.keys.set(key, promise);
      await before;
      try {
        return await work();
      } finally {
        for (const key of keys) if (held.keys.get(key) === promise) held.keys.delete(key);
        resolve();
      }
    });
  }

  /** Runs `work` when nothing else runs in the group; what comes later waits for it. */
  alone<T>(group: string, work: () => Promise<T>): Promise<T> {
    return this.#within(group, async (held) => {
      const before = Promise.all([...held.keys.values(), held.alone]);
      const { promise, resolve } = Promise.withResolvers<void>();
      held.alone = promise;
      await before;
      try {
        return await work();
      } finally {
        resolve();
      }
    });
  }

  async #within<T>(name: string, work: (held: Group) => Promise<T>): Promise<T> {
    const held = this.#groups.get(name) ?? { keys: new Map(), alone: Promise.resolve(), users: 0 };
    this.#groups.set(name, held);
    held.users += 1;
    try {
      return await work(held);
    } finally {
      held.users -= 1;
      if (held.users === 0) this.#groups.delete(name);
    }
  }
}
