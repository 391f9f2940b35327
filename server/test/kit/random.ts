import { Random as SeededRandom } from '@notevault/search-index/tuning/random.ts';

/** The generator of the server, with what only tests draw. */
export class Random extends SeededRandom {
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
