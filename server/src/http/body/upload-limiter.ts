import type { Readable } from 'node:stream';
import { FairSemaphore } from '../../concurrency/semaphore.ts';
import { closedSignal } from '../connections/closed-signal.ts';

/** How many bodies are received at once, and how many may wait. */
export interface UploadLimits {
  readonly concurrent: number;
  readonly waiting: number;
  /** Of one account, so that its slow connections do not keep all others out. */
  readonly concurrentPerAccount: number;
  readonly waitingPerAccount: number;
}

const UPLOAD_LIMITS: UploadLimits = {
  concurrent: 32,
  waiting: 128,
  concurrentPerAccount: 8,
  waitingPerAccount: 64,
};

/** Permits for streamed bodies, because each holds buffers, a file or a connection while it lasts. */
export class UploadLimiter {
  readonly #places: FairSemaphore;

  constructor({ concurrent, waiting, concurrentPerAccount, waitingPerAccount }: UploadLimits = UPLOAD_LIMITS) {
    this.#places = new FairSemaphore({
      units: concurrent,
      unitsPerTenant: concurrentPerAccount,
      waiting,
      waitingPerTenant: waitingPerAccount,
    });
  }

  /** Number of bodies that have a permit or wait for one. */
  get users(): number {
    return this.#places.used + this.#places.waiting;
  }

  /**
   * Runs `work` with a permit; nothing of the body is read before that. Throws `unavailable` when too many wait,
   * `bad_request` when the client hangs up meanwhile.
   */
  run<Result>(accountId: string, body: Readable, work: () => Promise<Result>): Promise<Result> {
    return this.#places.run(accountId, work, 1, closedSignal(body));
  }
}
