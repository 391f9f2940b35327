/** Time and chance of a device: real in a browser, by hand elsewhere. Times are whole milliseconds. */
export interface StandInClock {
  now(): number;
  setTimeout(run: () => void, ms?: number): number;
  clearTimeout(id: number | undefined): void;
}

/** Time that passes only when it is told to. */
export class ManualClock implements StandInClock {
  #now: number;
  #ids = 0;
  readonly #timers = new Map<number, { readonly at: number; readonly run: () => void }>();

  constructor(now = 1_700_000_000_000) {
    this.#now = now;
  }

  now(): number {
    return this.#now;
  }

  setTimeout(run: () => void, ms = 0): number {
    this.#ids += 1;
    this.#timers.set(this.#ids, { at: this.#now + Math.max(0, ms), run });
    return this.#ids;
  }

  clearTimeout(id: number | undefined): void {
    if (id !== undefined) this.#timers.delete(id);
  }

  /** Lets time pass, and runs what is due in its order, each after what the one before it has set off. */
  async advance(ms: number): Promise<void> {
    const end = this.#now + ms;
    await settled();
    for (;;) {
      const [next] = [...this.#timers].filter(([, { at }]) => at <= end).sort(([a, x], [b, y]) => x.at - y.at || a - b);
      if (next === undefined) break;
      const [id, { at, run }] = next;
      this.#timers.delete(id);
      this.#now = Math.max(this.#now, at);
      run();
      await settled();
    }
    this.#now = end;
  }
}

export const realClock: StandInClock = {
  now: () => Date.now(),
  setTimeout: (run, ms) => setTimeout(run, ms) as unknown as number,
  clearTimeout: (id) => clearTimeout(id),
};

/** Lets everything run that waits for nothing but its turn. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 50; turn++) await Promise.resolve();
}

/** Numbers from 0 up to 1, the same ones for the same seed (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
