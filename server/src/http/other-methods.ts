import { type IncomingMessage, METHODS } from 'node:http';
import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { FastifyInstance } from 'fastify';

/** All methods that Node parses, except CONNECT, which has no path. */
const METHODS_READ = METHODS.filter((method) => method !== 'CONNECT');

/** Registers every method that Node parses; the router answers an unregistered one as if the path did not exist. */
export function knowAllMethods(app: FastifyInstance): void {
  for (const method of METHODS_READ) if (!app.supportedMethods.includes(method)) app.addHttpMethod(method);
}

/** What a client may ask for with POST where it can send no other method: routes of this path only. */
const OVERRIDDEN = '/api/uploads/';
const OVERRIDES = new Set(['PATCH', 'DELETE', 'HEAD']);

/** Gives a request the method that it names in `X-HTTP-Method-Override`, for the protocol that requires it (tus). */
export function overrideMethod(request: IncomingMessage): void {
  const method = request.headers['x-http-method-override'];
  if (request.method !== 'POST' || typeof method !== 'string' || !OVERRIDES.has(method)) return;
  if (request.url?.startsWith(OVERRIDDEN)) request.method = method;
}

/** Answers 405 with `Allow` for every method that a path with routes does not have. */
export function refuseOtherMethods(scope: FastifyInstance, url: string, present: ReadonlySet<string>): void {
  const allow = [...present].sort().join(', ');
  scope.route({
    method: METHODS_READ.filter((method) => !present.has(method)),
    url,
    exposeHeadRoute: false,
    schema: { hide: true },
    onRequest: async () => {
      throw new NotevaultError('method_not_allowed', { allow });
    },
    handler: async () => undefined,
  });
}
