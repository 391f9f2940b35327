import { AsyncLocalStorage } from 'node:async_hooks';
import { NotevaultError } from '@notevault/protocol/errors.ts';
import { currentHangUp, runShared } from './tenant.ts';

interface QueuedItem<Item, Result> extends PromiseWithResolvers<Result> {
  readonly item: Item;
  readonly hangUp: AbortSignal | undefined;
  /** Runs a function in the caller's asynchronous context: a group runs on behalf of its first caller. */
  readonly inContext: <T>(work: () => T) => T;
}

/**
 * Carries out together what arrives under a key while an earlier group under it is being carried out: an item that
 * arrives alone is carried out at once, and nothing ever waits to be joined by more.
 */
export class GroupQueue<Key, Item, Result> {
  readonly #waiting = new Map<Key, QueuedItem<Item, Result>[]>();
  readonly #measure: (item: Item) => readonly number[];
  readonly #most: readonly number[];
  readonly #run: (group: readonly Item[]) => Promise<readonly PromiseSettledResult<Result>[]>;

  /**
   * @param measure the sizes of an item, each in a unit of its own.
   * @param most the most of each size that a group of several items may have together.
   * @param run carries out a group; resolves to the outcomes in its order.
   */
  constructor(
    measure: (item: Item) => readonly number[],
    most: readonly number[],
    run: (group: readonly Item[]) => Promise<readonly PromiseSettledResult<Result>[]>,
  ) {
    this.#measure = measure;
    this.#most = most;
    this.#run = run;
  }

  /** Resolves or rejects with the outcome of the item; rejects without carrying it out when its client hung up before. */
  add(key: Key, item: Item): Promise<Result> {
    const added = { ...Promise.withResolvers<Result>(), item, hangUp: currentHangUp() };
    const waiting = { ...added, inContext: AsyncLocalStorage.snapshot() };
    const others = this.#waiting.get(key);
    if (others === undefined) {
      this.#waiting.set(key, []);
      this.#carryOut(key, [waiting]);
    } else {
      others.push(waiting);
    }
    return added.promise;
  }

  async #carryOut(key: Key, group: readonly QueuedItem<Item, Result>[]): Promise<void> {
    const [first] = group;
    const items = group.map(({ item }) => item);
    // The group continues when the client of its first item hangs up.
    const run = () => runShared(() => this.#run(items));
    try {
      const outcomes = await (first === undefined ? [] : first.inContext(run));
      for (const [index, { resolve, reject }] of group.entries()) {
        const outcome = outcomes[index];
        if (outcome?.status === 'fulfilled') resolve(outcome.value);
        else reject(outcome?.reason);
      }
    } catch (error) {
      for (const { reject } of group) reject(error);
    }
    const next = this.#take(key);
    if (next.length === 0) this.#waiting.delete(key);
    else this.#carryOut(key, next);
  }

  /** Removes and returns the next group, without items whose clients have hung up. */
  #take(key: Key): QueuedItem<Item, Result>[] {
    const waiting = this.#waiting.get(key) ?? [];
    const group: QueuedItem<Item, Result>[] = [];
    const left = [...this.#most];
    for (let next = waiting[0]; next !== undefined; next = waiting[0]) {
      if (next.hangUp?.aborted === true) {
        next.reject(new NotevaultError('unavailable'));
      } else {
        for (const [at, size] of this.#measure(next.item).entries()) left[at] = (left[at] ?? 0) - size;
        if (group.length > 0 && left.some((rest) => rest < 0)) break;
        group.push(next);
      }
      waiting.shift();
    }
    return group;
  }
}
