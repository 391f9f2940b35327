import rateLimit, { type RateLimitOptions } from '@fastify/rate-limit';
import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { Rule } from '@notevault/protocol/operations.ts';
import { networkOf } from '@notevault/protocol/values/ip-network.ts';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Route } from './route.ts';

/** Limits `auth` routes by address and path, except as a route says. */
export async function limitByAddress(app: FastifyInstance, perMinute: number, elapsed: () => number): Promise<void> {
  await app.register(rateLimit, {
    global: false,
    max: perMinute,
    timeWindow: 60_000,
    keyGenerator: addressAndPath,
    store: windowsOf(elapsed),
    errorResponseBuilder: (_request, { ttl }) =>
      new NotevaultError('rate_limited', { retry_after: String(Math.max(1, Math.ceil(ttl / 1000))) }),
  });
}

/** Maximum number of addresses counted per route. */
const WINDOWS_MAX = 5000;

/**
 * Counts in elapsed time. The plugin's own store uses the wall clock: once that is set back, it would refuse until the
 * former time.
 */
function windowsOf(elapsed: () => number) {
  return class Windows {
    /** Ordered by end. */
    readonly #windows = new Map<string, { endsAt: number; current: number }>();

    incr(
      key: string,
      done: (error: Error | null, result?: { current: number; ttl: number }) => void,
      windowMs = 60_000,
    ) {
      const now = elapsed();
      let window = this.#windows.get(key);
      if (window === undefined || window.endsAt <= now) {
        this.#windows.delete(key);
        window = { endsAt: now + windowMs, current: 0 };
        this.#windows.set(key, window);
        const [oldest] = this.#windows.keys();
        if (this.#windows.size > WINDOWS_MAX && oldest !== undefined) this.#windows.delete(oldest);
      }
      window.current += 1;
      done(null, { current: window.current, ttl: window.endsAt - now });
    }

    child(): Windows {
      return new Windows();
    }
  };
}

/** The limit of a route, for its `config`. @param perMinute the common limit; 0 for no limits. */
export function rateLimitOf({ rule, countedFor }: Route, perMinute: number): RateLimitOptions | false {
  const limited = rateLimitFor(rule.limit, perMinute);
  if (limited === false) return false;
  return {
    ...limited,
    ...(countedFor === undefined
      ? {}
      : { keyGenerator: async (request) => (await countedFor(request.cookies)) ?? addressAndPath(request) }),
  };
}

/** The common limit, or that but at least a number. @param perMinute the common limit; 0 for no limits. */
export function rateLimitFor(limit: Rule['limit'], perMinute: number): RateLimitOptions | false {
  if (limit === undefined || perMinute === 0) return false;
  return { max: limit === 'auth' ? perMinute : Math.max(limit.atLeast, perMinute) };
}

function addressAndPath(request: FastifyRequest): string {
  return `${networkOf(request.ip)} ${request.routeOptions.url}`;
}
