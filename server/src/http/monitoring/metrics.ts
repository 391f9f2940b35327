import { createHash, timingSafeEqual } from 'node:crypto';
import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { FastifyInstance } from 'fastify';
import type { Metrics } from '../../telemetry/metrics.ts';

export interface MetricsAccess {
  readonly metrics: Metrics;
  readonly token: string;
}

/** Counts and times every answer by route, and serves all metrics at `/metrics` to callers with the token. */
export function mountMetrics(app: FastifyInstance, { metrics, token }: MetricsAccess): void {
  const seconds = metrics.histogram(
    'notevault_http_request_seconds',
    'Seconds from a request to the end of its response',
    ['method', 'route', 'status'],
  );
  let inFlight = 0;
  metrics.gauge('notevault_http_requests_in_flight', 'Requests in flight', () => inFlight);
  app.addHook('onRequest', async (_request, reply) => {
    inFlight += 1;
    reply.raw.once('close', () => {
      inFlight -= 1;
    });
  });
  app.addHook('onResponse', async (request, reply) => {
    // The pattern, never the URL, which contains paths of notes.
    const route = request.routeOptions.url ?? 'none';
    seconds(reply.elapsedTime / 1000, { method: request.method, route, status: reply.statusCode });
  });
  app.get('/metrics', { schema: { hide: true } }, async (request, reply) => {
    const sent = /^bearer +(.*)$/i.exec(request.headers.authorization ?? '')?.[1];
    if (!matches(sent, token)) throw new NotevaultError('unauthorized');
    return reply.type(metrics.contentType).send(await metrics.text());
  });
}

/** Compares hashes, so that not even the length of the token shows in the time it takes. */
function matches(sent: string | undefined, wanted: string): boolean {
  const [one, other] = [sent ?? '', wanted].map((text) => createHash('sha256').update(text).digest());
  return one !== undefined && other !== undefined && timingSafeEqual(one, other);
}
