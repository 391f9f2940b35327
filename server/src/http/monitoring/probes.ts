import { createHash, timingSafeEqual } from 'node:crypto';
import { CLIENT_LEVEL, OLDEST_CLIENT_LEVEL } from '@notevault/protocol/client-level.ts';
import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { FastifyInstance } from 'fastify';
import type { Static } from 'typebox';
import type { Metrics } from '../../telemetry/metrics.ts';
import { Alive, ApiDescription, Health, plainSchema, Ready } from '../openapi.ts';
import { refuseOtherMethods } from '../other-methods.ts';
import { PROBE_HEADER, seenOf } from './seen-request.ts';

export type Readiness = Omit<Static<typeof Ready>, 'status'>;

const READ = new Set(['GET', 'HEAD']);

/** Mounts the OpenAPI document and the health check. @param isProbe checks an `X-Notevault-Probe` header. */
export function mountApiProbes(
  api: FastifyInstance,
  app: FastifyInstance,
  version: string,
  isProbe: (value: unknown) => boolean,
): void {
  const document = plainSchema('getOpenApi', 'This document', ApiDescription);
  api.get('/openapi', { schema: document }, async () => app.swagger());
  const health = plainSchema('getHealth', 'Check that the server runs; returns its version', Health);
  api.get('/health', { schema: health }, async (request) => {
    const alive = { status: 'ok', version, client_level: CLIENT_LEVEL, oldest_client_level: OLDEST_CLIENT_LEVEL };
    return isProbe(request.headers[PROBE_HEADER]) ? { ...alive, seen: seenOf(request) } : alive;
  });
  for (const path of ['/openapi', '/health']) refuseOtherMethods(api, path, READ);
}

/** Mounts the operator's probes. @param ready rejects when the server cannot serve. */
export function mountProbes(app: FastifyInstance, ready: () => Promise<Readiness>): void {
  const alive = plainSchema('isAlive', 'Check that the process runs', Alive);
  app.get('/healthz', { schema: alive }, async () => ({ status: 'ok' }));
  app.get(
    '/readyz',
    { schema: plainSchema('isReady', 'Check that the server can serve requests', Ready) },
    async () => {
      const readiness = await ready().catch((cause) => {
        throw new NotevaultError('unavailable', {}, cause);
      });
      return { status: 'ok', ...readiness };
    },
  );
  for (const path of ['/healthz', '/readyz']) refuseOtherMethods(app, path, READ);
}

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
