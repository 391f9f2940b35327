import type { Readable } from 'node:stream';
import { FairSemaphore } from '../concurrency/semaphore.ts';
import { closedSignal } from './closed-signal.ts';

/** How many bodies are taken in at once, and how many may wait for that. */
export interface UploadLimits {
  readonly concurrent: number;
  readonly waiting: number;
  /** Of one account: a few slow lines must not keep everybody else out. */
  readonly concurrentPerAccount: number;
  readonly waitingPerAccount: number;
}

const UPLOAD_LIMITS: UploadLimits = {
  concurrent: 32,
  waiting: 128,
  concurrentPerAccount: 8,
  waitingPerAccount: 64,
};

/** Places for bodies that are read as they come: each holds buffers, a file or a connection while it lasts. */
export class UploadLimiter {
  readonly #places: FairSemaphore;

  constructor({ concurrent, waiting, concurrentPerAccount, waitingPerAccount }: UploadLimits = UPLOAD_LIMITS) {
    this.#places = new FairSemaphore({
      units: concurrent,
      unitsPerOwner: concurrentPerAccount,
      waiting,
      waitingPerOwner: waitingPerAccount,
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
  run<Result>(accountId: string, body: Readable, work: () => Promise<Result>): Promise<Result> {
    return this.#places.run(accountId, work, 1, closedSignal(body));
  }
}
