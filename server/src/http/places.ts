import type { Readable } from 'node:stream';
import { NotevaultError } from '@notevault/protocol/errors.ts';

/** A few places for work on request bodies; the others wait, and beyond a bound are told to come back. */
export class Places {
  readonly #waitingMax: number;
  readonly #waiting = new Set<() => void>();
  #free: number;

  constructor(places: number, waitingMax: number) {
    this.#free = places;
    this.#waitingMax = waitingMax;
  }

  /**
   * Resolves in a place, which the caller must leave. Rejects without one when the client hangs up (it leaves the queue at
   * once) and with `unavailable` when too many wait.
   */
  async enter(payload: Readable): Promise<void> {
    // Its `close` is over: waiting for it would be for ever.
    if (payload.destroyed) throw new NotevaultError('bad_request');
    if (this.#free > 0) {
      this.#free -= 1;
      return;
    }
    if (this.#waiting.size >= this.#waitingMax) throw new NotevaultError('unavailable');
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const onClose = () => {
      // When not in the queue any more, it was just given a place: then that is what it leaves.
      if (this.#waiting.delete(resolve)) reject(new NotevaultError('bad_request'));
    };
    this.#waiting.add(resolve);
    // Without a listener for its error, a broken stream would end the process.
    payload.on('error', onClose).once('close', onClose);
    await promise;
    payload.off('close', onClose);
  }

  /** Hands the place to whoever waits longest. */
  leave(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#free += 1;
      return;
    }
    this.#waiting.delete(next);
    next();
  }
}
