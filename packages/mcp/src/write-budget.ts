const WINDOW_MS = 60_000;
const KEYS_MAX = 10_000;

/** Limits how often a credential may write through tools, so that a runaway assistant does little harm. */
export class WriteBudget {
  readonly #perMinute: number;
  readonly #now: () => number;
  /** The times of the last writes by credential, oldest first; the credential written with last is last. */
  readonly #writes = new Map<string, number[]>();

  /** @param perMinute writes in any sixty seconds; 0 for no limit. */
  constructor(perMinute: number, now: () => number) {
    this.#perMinute = perMinute;
    this.#now = now;
  }

  /**
   * Counts writes; returns 0, or if they exceed the limit, the seconds until they are allowed. More writes at once than
   * the limit are allowed after a minute without any.
   */
  spend(credential: string, count = 1): number {
    if (this.#perMinute === 0) return 0;
    const now = this.#now();
    const recent = (this.#writes.get(credential) ?? []).filter((at) => now - at < WINDOW_MS && at <= now);
    this.#writes.delete(credential);
    this.#writes.set(credential, recent);
    const excess = Math.min(recent.length, recent.length + count - this.#perMinute);
    if (excess > 0) return Math.max(1, Math.ceil(((recent[excess - 1] ?? now) + WINDOW_MS - now) / 1000));
    recent.push(...Array.from({ length: count }, () => now));
    this.#evict(now);
    return 0;
  }

  #evict(now: number): void {
    for (const [credential, times] of this.#writes) {
      const last = times.at(-1) ?? 0;
      if (this.#writes.size <= KEYS_MAX && now - last < WINDOW_MS) return;
      this.#writes.delete(credential);
    }
  }
}
