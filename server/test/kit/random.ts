/** A seeded generator of pseudo-random numbers (mulberry32). */
export class Random {
  readonly seed: number;
  #state: number;

  constructor(seed: number) {
    this.seed = seed;
    this.#state = seed >>> 0;
  }

  /** From 0 (inclusive) to 1 (exclusive). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A whole number from 0 to `end` - 1. */
  below(end: number): number {
    return Math.floor(this.next() * end);
  }

  pick<Item>(items: readonly Item[]): Item {
    const item = items[this.below(items.length)];
    if (item === undefined) throw new Error('nothing to pick from');
    return item;
  }

  shuffled<Item>(items: readonly Item[]): Item[] {
    return items
      .map((item) => ({ item, order: this.next() }))
      .sort((a, b) => a.order - b.order)
      .map(({ item }) => item);
  }

  /** True in `share` of the cases. */
  chance(share: number): boolean {
    return this.next() < share;
  }

  /** Text that does not compress. */
  noise(length: number): string {
    let text = '';
    while (text.length < length) text += this.below(2 ** 32).toString(36);
    return text.slice(0, length);
  }
}

/** Draws seeds for runs that differ each time; TEST_SEED repeats a run. Each failure must name its seed. */
export function seedOfRun(test: { diagnostic(message: string): void }): number {
  const given = Number(process.env.TEST_SEED);
  const seed = process.env.TEST_SEED && Number.isInteger(given) ? given : Math.floor(Math.random() * 1_000_000);
  test.diagnostic(`TEST_SEED=${seed} draws the same again`);
  return seed;
}

/** A seed for a text: FNV-1a. */
export function seedOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}
