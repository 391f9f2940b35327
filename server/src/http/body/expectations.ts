import type { IncomingMessage, ServerResponse } from 'node:http';
import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { FastifyInstance } from 'fastify';

/** Requests whose client waits for `100 Continue` before it sends the body. */
const waiting = new WeakMap<IncomingMessage, ServerResponse>();
/** Requests with an unsupported expectation. */
const unmet = new WeakSet<IncomingMessage>();

/**
 * Routes requests with `Expect` (RFC 9110, section 10.1.1) like all others. Node itself would invite the body before
 * credentials are checked, and refuse other expectations without a body.
 */
export function routeExpectations(app: FastifyInstance): void {
  app.server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    waiting.set(request, response);
    app.routing(request, response);
  });
  app.server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    unmet.add(request);
    app.routing(request, response);
  });
}

/** Throws `expectation_failed` for an unsupported expectation. */
export function refuseExpectation(request: IncomingMessage): void {
  if (unmet.has(request)) throw new NotevaultError('expectation_failed');
}

/**
 * Sends `100 Continue` to a client that waits for it. Call this before the body is read, when nothing but its content
 * can lead to a refusal.
 */
export function inviteBody(request: IncomingMessage): void {
  waiting.get(request)?.writeContinue();
  waiting.delete(request);
}
