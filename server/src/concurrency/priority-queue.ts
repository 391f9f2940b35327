import { setImmediate as nextTurn } from 'node:timers/promises';

interface QueuedJob {
  run(): Promise<void>;
}

/** Runs one piece of work at a time, urgent ones first: a query must not wait until a whole vault is embedded. */
export class PriorityQueue {
  readonly #urgent: QueuedJob[] = [];
  readonly #ordinary: QueuedJob[] = [];
  #running = false;

  run<T>(urgent: boolean, work: () => Promise<T>): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    (urgent ? this.#urgent : this.#ordinary).push({ run: () => work().then(resolve, reject) });
    if (!this.#running) void this.#loop();
    return promise;
  }

  async #loop(): Promise<void> {
    this.#running = true;
    for (;;) {
      // The work may have blocked the thread; a turn lets requests that arrived meanwhile be queued before the next is
      // chosen.
      await nextTurn();
      const next = this.#urgent.shift() ?? this.#ordinary.shift();
      if (next === undefined) break;
      await next.run();
    }
    this.#running = false;
  }
}
