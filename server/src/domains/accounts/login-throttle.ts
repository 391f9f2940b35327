import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { Clock } from '../../ports/clock/clock.ts';

/** So many wrong passwords in a row, then one in each `every`. */
interface BucketRate {
  readonly burst: number;
  readonly everyMs: number;
}

const BUCKET_RATES = {
  /** Guesses at one account from anywhere: 10, then 720 a day. */
  account: { burst: 10, everyMs: 120_000 },
  /** Guesses from one network at any account. */
  network: { burst: 50, everyMs: 30_000 },
} as const satisfies Record<string, BucketRate>;
const BUCKETS_MAX = 100_000;

/** Slows down whoever guesses passwords, before a guess is looked at; held in this process alone. */
export interface LoginThrottle {
  /**
   * Counts a guess before it is looked at, so that many at once count too. Resolves to what takes it back when it was
   * right. Throws `rate_limited`, for accounts that are and that are not there alike.
   */
  recordAttempt(at: { readonly account: string; readonly network: string | null }): () => void;
}

interface Bucket {
  /** Guesses that still count, as of `at`. */
  level: number;
  at: number;
}

export function createLoginThrottle(clock: Clock): LoginThrottle {
  // In the order of last use.
  const buckets = new Map<string, Bucket>();

  function levelOf(key: string, { everyMs }: BucketRate): number {
    const bucket = buckets.get(key);
    return bucket === undefined ? 0 : Math.max(0, bucket.level - (clock.now() - bucket.at) / everyMs);
  }

  function put(key: string, rate: BucketRate, change: 1 | -1): void {
    const level = Math.max(0, levelOf(key, rate) + change);
    buckets.delete(key);
    if (level > 0) buckets.set(key, { level, at: clock.now() });
    for (const oldest of buckets.keys()) {
      if (buckets.size <= BUCKETS_MAX) break;
      buckets.delete(oldest);
    }
  }

  return {
    recordAttempt({ account, network }) {
      const counted: [key: string, pace: BucketRate][] = [[`account ${account}`, BUCKET_RATES.account]];
      if (network !== null) counted.push([`network ${network}`, BUCKET_RATES.network]);
      for (const [key, rate] of counted) {
        const over = levelOf(key, rate) + 1 - rate.burst;
        // A rounding error must not ask to come back at once.
        if (over > 1e-6) {
          throw new NotevaultError('rate_limited', { retry_after: String(Math.ceil((over * rate.everyMs) / 1000)) });
        }
      }
      for (const [key, rate] of counted) put(key, rate, 1);
      return () => {
        for (const [key, rate] of counted) put(key, rate, -1);
      };
    },
  };
}
