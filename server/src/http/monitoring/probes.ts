import { CLIENT_LEVEL, OLDEST_CLIENT_LEVEL } from '@notevault/protocol/client-level.ts';
import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { FastifyInstance } from 'fastify';
import type { Static } from 'typebox';
import { Alive, ApiDescription, Health, plainSchema, Ready } from '../openapi.ts';
import { refuseOtherMethods } from '../other-methods.ts';
import { PROBE_HEADER, seenOf } from './seen-request.ts';

/** The state of the server's parts. */
export type Readiness = Omit<Static<typeof Ready>, 'status'>;

const READ = new Set(['GET', 'HEAD']);

/**
 * Mounts the OpenAPI document and the health check below `/api`.
 *
 * @param isProbe whether the value of the header `X-Notevault-Probe` asks how the request arrived.
 */
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

/**
 * Mounts the probes for the operator.
 *
 * @param ready resolves to the state of the server's parts; rejects when it cannot serve, because the database is down.
 */
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
