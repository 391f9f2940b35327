import { METHODS } from 'node:http';
import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { FastifyInstance } from 'fastify';

/** All that Node reads; a CONNECT names no path of this server. */
const METHODS_READ = METHODS.filter((method) => method !== 'CONNECT');

/** Lets the router know every method that Node reads: one it does not know is answered as if its path did not exist. */
export function knowAllMethods(app: FastifyInstance): void {
  for (const method of METHODS_READ) if (!app.supportedMethods.includes(method)) app.addHttpMethod(method);
}

/** For a path with routes: every method that is not among theirs answers 405, with `Allow`. */
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
