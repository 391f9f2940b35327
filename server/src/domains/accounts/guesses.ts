import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { Clock } from '../../engines/clock/clock.ts';

/** So many wrong passwords in a row, then one in each `every`. */
interface Pace {
  readonly burst: number;
  readonly everyMs: number;
}

const PACES = {
  /** Guesses at one account from anywhere: 10, then 720 a day. */
  account: { burst: 10, everyMs: 120_000 },
  /** Guesses from one network at any account. */
  network: { burst: 50, everyMs: 30_000 },
} as const satisfies Record<string, Pace>;
const HELD_MAX = 100_000;

/** Slows down whoever guesses passwords, before a guess is looked at; held in this process alone. */
export interface Guesses {
  /**
   * Counts a guess before it is looked at, so that many at once count too. Resolves to what takes it back when it was
   * right. Throws `rate_limited`, for accounts that are and that are not there alike.
   */
  begin(at: { readonly account: string; readonly network: string | null }): () => void;
}

interface Bucket {
  /** Guesses that still count, as of `at`. */
  level: number;
  at: number;
}

export function createGuesses(clock: Clock): Guesses {
  // In the order of last use.
  const buckets = new Map<string, Bucket>();

  function levelOf(key: string, { everyMs }: Pace): number {
    const bucket = buckets.get(key);
    return bucket === undefined ? 0 : Math.max(0, bucket.level - (clock.now() - bucket.at) / everyMs);
  }

  function put(key: string, pace: Pace, change: 1 | -1): void {
    const level = Math.max(0, levelOf(key, pace) + change);
    buckets.delete(key);
    if (level > 0) buckets.set(key, { level, at: clock.now() });
    for (const oldest of buckets.keys()) {
      if (buckets.size <= HELD_MAX) break;
      buckets.delete(oldest);
    }
  }

  return {
    begin({ account, network }) {
      const counted: [key: string, pace: Pace][] = [[`account ${account}`, PACES.account]];
      if (network !== null) counted.push([`network ${network}`, PACES.network]);
      for (const [key, pace] of counted) {
        const over = levelOf(key, pace) + 1 - pace.burst;
        // A rounding error must not ask to come back at once.
        if (over > 1e-6) {
          throw new NotevaultError('rate_limited', { retry_after: String(Math.ceil((over * pace.everyMs) / 1000)) });
        }
      }
      for (const [key, pace] of counted) put(key, pace, 1);
      return () => {
        for (const [key, pace] of counted) put(key, pace, -1);
      };
    },
  };
}
