import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyBaseLogger } from 'fastify';
import { IDLE } from './concurrency/idle.ts';
import { runForTenant } from './concurrency/tenant.ts';
import type { Clock } from './ports/clock/clock.ts';

/** Work derived from stored state: running it again, also after a crash, does only the remaining work. */
export interface Job {
  readonly name: string;
  readonly everyMs: number;
  /**
   * Resolves to IDLE when it did not try its work.
   *
   * @param signal aborted when the process stops; long work should then end too.
   */
  run(signal: AbortSignal): Promise<unknown>;
}

/** The tenant of jobs, separate from other work of the server. */
const TENANT = 'jobs';

/** Runs each job at the start and then at its interval, one run at a time, also after a failure, which is logged. */
export class JobRunner implements AsyncDisposable {
  readonly #failures: FailureLog;
  readonly #jobs: Job[];
  readonly #stopping = new AbortController();
  #loops: Promise<void>[] = [];

  constructor(log: FastifyBaseLogger, clock: Pick<Clock, 'elapsed'>, jobs: readonly Job[]) {
    this.#failures = new FailureLog(log, clock);
    this.#jobs = [...jobs];
  }

  /** Call it before `start`. */
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
        const result = await runForTenant(TENANT, () => job.run(signal));
        if (result !== IDLE) this.#failures.succeeded(job.name);
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

const REPEAT_MS = 60_000;

interface Failing {
  /** Failures since the last log line. */
  count: number;
  loggedAt: number;
}

/**
 * Logs the failures of repeated work: the first of each kind with its stack, then one line a minute with their number,
 * and a line when the work succeeds again. Otherwise a database that is down for an hour would fill the disk with log
 * lines.
 */
export class FailureLog {
  readonly #log: FastifyBaseLogger;
  readonly #clock: Pick<Clock, 'elapsed'>;
  /** Current failures, by job and kind. */
  readonly #failing = new Map<string, Map<string, Failing>>();

  constructor(log: FastifyBaseLogger, clock: Pick<Clock, 'elapsed'>) {
    this.#log = log;
    this.#clock = clock;
  }

  failed(job: string, error: unknown): void {
    const now = this.#clock.elapsed();
    const kind = kindOf(error);
    const kinds = this.#failing.get(job) ?? new Map<string, Failing>();
    const failing = kinds.get(kind);
    if (failing === undefined) {
      this.#failing.set(job, kinds.set(kind, { count: 0, loggedAt: now }));
      this.#log.error({ err: error, job }, 'background job failed');
      return;
    }
    failing.count += 1;
    if (now - failing.loggedAt < REPEAT_MS) return;
    this.#log.error({ job, failures: failing.count, reason: kind }, 'background job still fails');
    failing.count = 0;
    failing.loggedAt = now;
  }

  succeeded(job: string): void {
    if (this.#failing.delete(job)) this.#log.info({ job }, 'background job works again');
  }
}

/** Returns the kind of an error without its message, which may quote a person's text. */
function kindOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  const { code } = error as { code?: unknown };
  return typeof code === 'string' ? `${error.name} ${code}` : error.name;
}
