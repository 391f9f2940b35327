import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyBaseLogger } from 'fastify';

/** Work derived from stored state: running it twice, or after a crash, does what is left. */
export interface Job {
  readonly name: string;
  readonly everyMs: number;
  /** @param signal aborted when the process is to end: what takes long should end then too. */
  run(signal: AbortSignal): Promise<unknown>;
}

/** Runs each job at start and then at its pace, one run at a time; a failure is logged and tried again next time. */
export class Background implements AsyncDisposable {
  readonly #log: FastifyBaseLogger;
  readonly #jobs: readonly Job[];
  readonly #stopping = new AbortController();
  #loops: Promise<void>[] = [];

  constructor(log: FastifyBaseLogger, jobs: readonly Job[]) {
    this.#log = log;
    this.#jobs = jobs;
  }

  start(): void {
    this.#loops = this.#jobs.map((job) => this.#loop(job));
  }

  async #loop(job: Job): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      try {
        await job.run(signal);
      } catch (error) {
        this.#log.error({ err: error, job: job.name }, 'background job failed');
      }
      await delay(job.everyMs, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort();
    await Promise.all(this.#loops);
  }
}
