import type { Readable } from 'node:stream';
import { FairSemaphore } from '../concurrency/semaphore.ts';
import { closedSignal } from './closed-signal.ts';

/** How many bodies are taken in at once, and how many may wait for that. */
export interface UploadBounds {
  readonly atOnce: number;
  readonly waiting: number;
  /** Of one account: a few slow lines must not keep everybody else out. */
  readonly atOnceOfOne: number;
  readonly waitingOfOne: number;
}

export const UPLOAD_BOUNDS: UploadBounds = { atOnce: 32, waiting: 128, atOnceOfOne: 8, waitingOfOne: 64 };

/** Places for bodies that are read as they come: each holds buffers, a file or a connection while it lasts. */
export class UploadPlaces {
  readonly #places: FairSemaphore;

  constructor({ atOnce, waiting, atOnceOfOne, waitingOfOne }: UploadBounds = UPLOAD_BOUNDS) {
    this.#places = new FairSemaphore({
      units: atOnce,
      unitsPerOwner: atOnceOfOne,
      waiting,
      waitingPerOwner: waitingOfOne,
    });
  }

  /** Bodies that have a place or wait for one. */
  get users(): number {
    return this.#places.used + this.#places.waiting;
  }

  /**
   * Runs `work` in a place; until there is one, nothing of the body is read. Throws `unavailable` when too many wait,
   * `bad_request` when the client hangs up meanwhile.
   */
  within<Result>(accountId: string, body: Readable, work: () => Promise<Result>): Promise<Result> {
    return this.#places.run(accountId, work, 1, closedSignal(body));
  }
}
