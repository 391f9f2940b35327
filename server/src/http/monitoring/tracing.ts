import type { FastifyInstance } from 'fastify';
import type { Tracing } from '../../ports/tracing/tracing.ts';
import { isUpgrade } from '../connections/sockets.ts';

const FAILED_FROM = 500;

/** Makes a span for each request, named by the pattern of its route; a child of the caller's trace if there is one. */
export function mountTracing(app: FastifyInstance, tracing: Tracing): void {
  app.addHook('onRequest', (request, { raw }, done) => {
    // Sockets stay open for hours.
    if (isUpgrade(request)) return done();
    const { method, headers } = request;
    // The pattern, never the URL, which contains paths of notes.
    const route = request.routeOptions.url ?? 'none';
    const { traceparent } = headers;
    const span = tracing.begin(`${method} ${route}`, {
      kind: 'server',
      traceparent: typeof traceparent === 'string' ? traceparent : undefined,
      labels: { 'http.request.method': method, 'http.route': route },
    });
    raw.once('close', () => {
      // Without a status if the client left before there was one.
      const labels = raw.headersSent ? { 'http.response.status_code': raw.statusCode } : {};
      span.end({ failed: raw.headersSent && raw.statusCode >= FAILED_FROM, labels });
    });
    span.within(done);
  });
}
