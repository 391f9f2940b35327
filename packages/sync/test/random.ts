/** Numbers that look random and come again with the same seed (mulberry32). */
export class Random {
  readonly seed: number;
  #state: number;

  constructor(seed: number) {
    this.seed = seed;
    this.#state = seed >>> 0;
  }

  /** From 0 up to 1. */
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

  /** True in `share` of the cases. */
  chance(share: number): boolean {
    return this.next() < share;
  }

  pick<Item>(items: readonly Item[]): Item {
    const item = items[this.below(items.length)];
    if (item === undefined) throw new Error('nothing to pick from');
    return item;
  }

  /** Text that does not compress. */
  noise(length: number): string {
    let text = '';
    while (text.length < length) text += this.below(2 ** 32).toString(36);
    return text.slice(0, length);
  }
}

/** What draws seeds, for runs that are to differ each time: TEST_SEED repeats one. Each failure must name its seed. */
export function seedOfRun(test: { diagnostic(message: string): void }): number {
  const given = Number(process.env.TEST_SEED);
  const seed = process.env.TEST_SEED && Number.isInteger(given) ? given : Math.floor(Math.random() * 1_000_000);
  test.diagnostic(`TEST_SEED=${seed} draws the same again`);
  return seed;
}
