import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { Clock } from '../../../../ports/clock/clock.ts';

/** `burst` wrong passwords at once, then one every `everyMs`. */
interface BucketRate {
  readonly burst: number;
  readonly everyMs: number;
}

const BUCKET_RATES = {
  /** Attempts at one account from anywhere: 10, then 720 a day. */
  account: { burst: 10, everyMs: 120_000 },
  /** Attempts from one network at any account. */
  network: { burst: 50, everyMs: 30_000 },
} as const satisfies Record<string, BucketRate>;
const BUCKETS_MAX = 100_000;

/**
 * Counts an attempt with a password before the password is checked, so that concurrent attempts count too. Returns a
 * function that uncounts it when the password was right. Throws `rate_limited`, equally for accounts that exist and that
 * do not.
 */
export type RecordAttempt = (at: { readonly account: string; readonly network: string | null }) => () => void;

interface Bucket {
  /** Attempts that still count, as of `at`. */
  level: number;
  /** Elapsed time: the wall clock may be set back. */
  at: number;
}

/** Throttles attempts with passwords. The counters are of this process only. */
export function createLoginThrottle(clock: Pick<Clock, 'elapsed'>): RecordAttempt {
  // Ordered by last use.
  const buckets = new Map<string, Bucket>();

  function levelOf(key: string, { everyMs }: BucketRate): number {
    const bucket = buckets.get(key);
    return bucket === undefined ? 0 : Math.max(0, bucket.level - (clock.elapsed() - bucket.at) / everyMs);
  }

  function put(key: string, rate: BucketRate, change: 1 | -1): void {
    const level = Math.max(0, levelOf(key, rate) + change);
    buckets.delete(key);
    if (level > 0) buckets.set(key, { level, at: clock.elapsed() });
    for (const oldest of buckets.keys()) {
      if (buckets.size <= BUCKETS_MAX) break;
      buckets.delete(oldest);
    }
  }

  return ({ account, network }) => {
    const counted: [key: string, pace: BucketRate][] = [[`account ${account}`, BUCKET_RATES.account]];
    if (network !== null) counted.push([`network ${network}`, BUCKET_RATES.network]);
    for (const [key, rate] of counted) {
      const over = levelOf(key, rate) + 1 - rate.burst;
      // Because of rounding, a tiny excess must not make the client retry at once.
      if (over > 1e-6) {
        throw new NotevaultError('rate_limited', { retry_after: String(Math.ceil((over * rate.everyMs) / 1000)) });
      }
    }
    for (const [key, rate] of counted) put(key, rate, 1);
    return () => {
      for (const [key, rate] of counted) put(key, rate, -1);
    };
  };
}
