import type { IncomingMessage, ServerResponse } from 'node:http';
import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { FastifyInstance } from 'fastify';

/** Requests whose client waits for `100 Continue` before it sends the body. */
const waiting = new WeakMap<IncomingMessage, ServerResponse>();
/** Requests that expect what this server does not do. */
const unmet = new WeakSet<IncomingMessage>();

/**
 * Takes requests with `Expect` (RFC 9110, section 10.1.1) through the router like all others. Node itself would invite the
 * body before anybody looked at the credentials, and refuse other expectations without a word.
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

/** Throws `expectation_failed`. */
export function refuseExpectation(request: IncomingMessage): void {
  if (unmet.has(request)) throw new NotevaultError('expectation_failed');
}

/** To be called once nothing but its content can refuse a body, before it is read: sends `100 Continue` to whoever waits for it. */
export function inviteBody(request: IncomingMessage): void {
  waiting.get(request)?.writeContinue();
  waiting.delete(request);
}
