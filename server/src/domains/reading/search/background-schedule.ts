import type { Clock } from '../../../ports/clock/clock.ts';

/** Interval of checks for writes of other processes and for earlier failures. */
const CHECK_EVERY_MS = 60_000;
/** Maximum wait for writes to pause: an import may take hours. */
const LONGEST_MS = 10_000;
/** Maximum keys whose failures are remembered. */
const FAILED_MAX = 1000;

/**
 * Schedules background work over all vaults: once this process has stopped writing, because work during an import slows
 * it down and is soon stale, and every minute for writes of other processes.
 */
export class BackgroundSchedule {
  readonly #clock: Pick<Clock, 'elapsed'>;
  readonly #restMs: number;
  /** The first and the last write since the last run. */
  #written: { readonly first: number; readonly last: number } | null = null;
  #nextCheckAt = Number.NEGATIVE_INFINITY;

  /** @param restMs how long after a write others are waited for. */
  constructor(clock: Pick<Clock, 'elapsed'>, restMs: number) {
    this.#clock = clock;
    this.#restMs = restMs;
  }

  recordChange(): void {
    const now = this.#clock.elapsed();
    this.#written = { first: this.#written?.first ?? now, last: now };
  }

  /** Lets the next run begin after this time, although nothing is written. */
  again(afterMs: number): void {
    this.#nextCheckAt = Math.min(this.#nextCheckAt, this.#clock.elapsed() + afterMs);
  }

  /**
   * Returns whether a run is due, which the caller then begins.
   *
   * @param atOnce starts without waiting for writes to pause.
   */
  begin(atOnce = false): boolean {
    const now = this.#clock.elapsed();
    const isDue = this.#written === null ? now >= this.#nextCheckAt : atOnce || this.#hasRested(this.#written, now);
    if (!isDue) return false;
    this.#written = null;
    this.#nextCheckAt = now + CHECK_EVERY_MS;
    return true;
  }

  #hasRested({ first, last }: { readonly first: number; readonly last: number }, now: number): boolean {
    return now - last >= this.#restMs || now - first >= LONGEST_MS;
  }
}

/** Pauses what fails, after each failure in a row twice as long as after the one before, up to a bound. */
export class Backoff<Key> {
  readonly #clock: Pick<Clock, 'elapsed'>;
  readonly #firstMs: number;
  readonly #longestMs: number;
  readonly #failed = new Map<Key, { readonly failures: number; readonly until: number }>();

  constructor(clock: Pick<Clock, 'elapsed'>, firstMs: number, longestMs: number) {
    this.#clock = clock;
    this.#firstMs = firstMs;
    this.#longestMs = longestMs;
  }

  /** @param leastMs how long the failure itself asks to be left alone. */
  failed(key: Key, leastMs = 0): void {
    const failures = (this.#failed.get(key)?.failures ?? 0) + 1;
    const pauseMs = Math.min(this.#longestMs, this.#firstMs * 2 ** (failures - 1));
    this.#failed.delete(key);
    this.#failed.set(key, { failures, until: this.#clock.elapsed() + Math.max(pauseMs, leastMs) });
    const [oldest] = this.#failed.keys();
    if (this.#failed.size > FAILED_MAX && oldest !== undefined) this.#failed.delete(oldest);
  }

  succeeded(key: Key): void {
    this.#failed.delete(key);
  }

  isPaused(key: Key): boolean {
    return (this.#failed.get(key)?.until ?? Number.NEGATIVE_INFINITY) > this.#clock.elapsed();
  }
}
