import type { IncomingMessage } from 'node:http';
import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import findMyWay from 'find-my-way';

/** The methods of each path with routes, by the server; its router knows a path once, under one method. */
const pathsOf = new WeakMap<object, ReturnType<typeof findMyWay>>();

/** Path prefix of routes that accept method overrides, for clients that can send only POST. */
const OVERRIDDEN = '/api/uploads/';
const OVERRIDES = new Set(['PATCH', 'DELETE', 'HEAD']);

/** Gives a request the method that it names in `X-HTTP-Method-Override`, for the protocol that requires it (tus). */
export function overrideMethod(request: IncomingMessage): void {
  const method = request.headers['x-http-method-override'];
  if (request.method !== 'POST' || typeof method !== 'string' || !OVERRIDES.has(method)) return;
  if (request.url?.startsWith(OVERRIDDEN)) request.method = method;
}

/**
 * Makes every method that a path with routes does not have answer 405 with `Allow`, see refusalOf. A route for each of the
 * thirty methods that Node parses would be most of the work of a start.
 */
export function refuseOtherMethods(scope: FastifyInstance, url: string, present: ReadonlySet<string>): void {
  const paths = pathsOf.get(scope.server) ?? findMyWay({ maxParamLength: Number.POSITIVE_INFINITY });
  pathsOf.set(scope.server, paths);
  paths.on('GET', scope.prefix + url, () => undefined, present);
}

/** The error for a request that no route takes, or one that would take it only because its path has no such method. */
export function refusalOf({ server, is404, method, raw, routeOptions }: FastifyRequest): NotevaultError | undefined {
  const route = routeOptions.url ?? '*';
  // The CORS plugin's own catch-all route for OPTIONS does not count as a route.
  const isUnknown = is404 || route === '*';
  if (!isUnknown && !/[:*]/.test(route)) return undefined;
  const present: ReadonlySet<string> | undefined = pathsOf.get(server.server)?.find('GET', raw.url ?? '/')?.store;
  if (present !== undefined && !present.has(method)) {
    return new NotevaultError('method_not_allowed', { allow: [...present].sort().join(', ') });
  }
  return isUnknown ? new NotevaultError('not_found_route') : undefined;
}
