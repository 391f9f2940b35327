import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyBaseLogger } from 'fastify';
import { runForOwner } from './concurrency/owner.ts';
import { FailureLog } from './failure-log.ts';
import type { Clock } from './ports/clock/clock.ts';

/** Work derived from stored state: running it twice, or after a crash, does what is left. */
export interface Job {
  readonly name: string;
  readonly everyMs: number;
  /** @param signal aborted when the process is to end: what takes long should end then too. */
  run(signal: AbortSignal): Promise<unknown>;
}

/** Whose share jobs count against: apart from what else the server does by itself. */
const OWNER = 'jobs';

/** Runs each job at start and then at its pace, one run at a time; a failure is logged and tried again next time. */
export class JobRunner implements AsyncDisposable {
  readonly #failures: FailureLog;
  readonly #jobs: readonly Job[];
  readonly #stopping = new AbortController();
  #loops: Promise<void>[] = [];

  constructor(log: FastifyBaseLogger, clock: Pick<Clock, 'now'>, jobs: readonly Job[]) {
    this.#failures = new FailureLog(log, clock);
    this.#jobs = jobs;
  }

  start(): void {
    this.#loops = this.#jobs.map((job) => this.#loop(job));
  }

  async #loop(job: Job): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      try {
        await runForOwner(OWNER, () => job.run(signal));
        this.#failures.succeeded(job.name);
      } catch (error) {
        this.#failures.failed(job.name, error);
      }
      await delay(job.everyMs, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort();
    await Promise.all(this.#loops);
  }
}
