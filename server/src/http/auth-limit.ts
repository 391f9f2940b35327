import rateLimit, { type RateLimitOptions } from '@fastify/rate-limit';
import { NotevaultError } from '@notevault/protocol/errors.ts';
import { networkOf } from '@notevault/protocol/values/ip-network.ts';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Route } from './route.ts';

/** Limits `auth` routes by address and path, except as a route says. */
export async function limitByAddress(app: FastifyInstance, perMinute: number): Promise<void> {
  await app.register(rateLimit, {
    global: false,
    max: perMinute,
    timeWindow: 60_000,
    keyGenerator: addressAndPath,
    errorResponseBuilder: (_request, { ttl }) =>
      new NotevaultError('rate_limited', { retry_after: String(Math.max(1, Math.ceil(ttl / 1000))) }),
  });
}

/** The limit of a route, for its `config`. @param perMinute the common limit; 0 for no limits. */
export function rateLimitOf({ rule, countedFor }: Route, perMinute: number): RateLimitOptions | false {
  const { limit } = rule;
  if (limit === undefined || perMinute === 0) return false;
  return {
    max: limit === 'auth' ? perMinute : Math.max(limit.atLeast, perMinute),
    ...(countedFor === undefined
      ? {}
      : { keyGenerator: async (request) => (await countedFor(request.cookies)) ?? addressAndPath(request) }),
  };
}

function addressAndPath(request: FastifyRequest): string {
  return `${networkOf(request.ip)} ${request.routeOptions.url}`;
}
