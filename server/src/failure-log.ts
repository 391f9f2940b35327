import type { FastifyBaseLogger } from 'fastify';
import type { Clock } from './ports/clock/clock.ts';

const REPEAT_MS = 60_000;

interface Failing {
  /** Failures since the last line. */
  count: number;
  loggedAt: number;
}

/**
 * Logs the failures of work that is tried again and again: the first of each kind with its stack, then a line a minute with
 * how many there were, and a line when the work succeeds again. Without it, a database that is away for an hour would fill the disk.
 */
export class FailureLog {
  readonly #log: FastifyBaseLogger;
  readonly #clock: Pick<Clock, 'now'>;
  /** By job, and by what tells one failure from another. */
  readonly #failing = new Map<string, Map<string, Failing>>();

  constructor(log: FastifyBaseLogger, clock: Pick<Clock, 'now'>) {
    this.#log = log;
    this.#clock = clock;
  }

  failed(job: string, error: unknown): void {
    const now = this.#clock.now();
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

/** Never the message: it may quote what a person wrote. */
function kindOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  const { code } = error as { code?: unknown };
  return typeof code === 'string' ? `${error.name} ${code}` : error.name;
}
