import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyBaseLogger } from 'fastify';
import { runForTenant } from './concurrency/tenant.ts';
import type { Clock } from './ports/clock/clock.ts';
import { FailureLog } from './telemetry/failure-log.ts';

/** Work derived from stored state: running it twice, or after a crash, does what is left to do. */
export interface Job {
  readonly name: string;
  readonly everyMs: number;
  /** @param signal aborted when the process stops; long work should then end too. */
  run(signal: AbortSignal): Promise<unknown>;
}

/** The tenant to whose share jobs count, separate from other work of the server. */
const TENANT = 'jobs';

/**
 * Runs each job at the start and then at its interval, one run at a time; a failure is logged, and the job runs again
 * at the next interval.
 */
export class JobRunner implements AsyncDisposable {
  readonly #failures: FailureLog;
  readonly #jobs: Job[];
  readonly #stopping = new AbortController();
  #loops: Promise<void>[] = [];

  constructor(log: FastifyBaseLogger, clock: Pick<Clock, 'now'>, jobs: readonly Job[]) {
    this.#failures = new FailureLog(log, clock);
    this.#jobs = [...jobs];
  }

  /** Adds a job before the start. */
  add(job: Job): void {
    this.#jobs.push(job);
  }

  start(): void {
    this.#loops = this.#jobs.map((job) => this.#loop(job));
  }

  async #loop(job: Job): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      try {
        await runForTenant(TENANT, () => job.run(signal));
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
