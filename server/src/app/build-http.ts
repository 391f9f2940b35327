import type { FastifyInstance } from 'fastify';
import type { Context, Observers } from '../app.ts';
import { mcpRoutes } from '../domains/exchanging/mcp/mcp.routes.ts';
import type { Collaboration } from '../domains/reading/sync/sockets/collaboration.ts';
import { socketRoutes } from '../domains/reading/sync/sockets/sockets.routes.ts';
import { CertificateFiles } from '../http/connections/certificate.ts';
import type { Sockets } from '../http/connections/sockets.ts';
import { buildHttp } from '../http/http.ts';
import { isFreshProbe } from '../http/monitoring/seen-request.ts';
import type { WebApp } from '../http/web/web-app.ts';
import type { StorageState } from '../telemetry/storage-state.ts';
import { version } from '../version.ts';
import type { Domains } from './domains.ts';
import type { RequestGuard } from './guard.ts';
import { readinessOf } from './readiness.ts';
import { rawRoutesOf, routesOf } from './routes.ts';

/** Parts served in addition to the domains. */
export interface Serves {
  readonly guard: RequestGuard;
  readonly sockets: Sockets;
  readonly observers: Observers;
  readonly webApp: WebApp | null;
  readonly storage: StorageState;
}

export function buildHttpOf(
  { ports, config, log, publicUrl }: Context,
  domains: Domains,
  collaboration: Collaboration,
  { guard, sockets, observers: { metrics, tracing }, webApp, storage }: Serves,
): Promise<FastifyInstance> {
  const { metricsToken: token } = config;
  return buildHttp({
    log,
    version,
    publicUrl,
    corsOrigins: config.corsOrigins,
    ...(metrics === null || token === null ? {} : { metrics: { metrics, token: token.reveal() } }),
    ...(tracing === null ? {} : { tracing }),
    certificate:
      config.tlsCert === null || config.tlsKey === null
        ? null
        : new CertificateFiles({ cert: config.tlsCert, key: config.tlsKey }, log),
    trustProxy: config.trustProxy,
    authRateLimit: config.authRateLimit,
    elapsed: ports.clock.elapsed,
    routes: routesOf(domains),
    rawRoutes: rawRoutesOf(domains, {
      publicUrl,
      log,
      passwordLogin: config.passwordLogin,
      hasWebApp: webApp !== null,
    }),
    fetchRoutes: mcpRoutes(domains.mcp),
    webApp,
    isProbe: (value) => isFreshProbe(ports.keyring, ports.clock.now(), value),
    sockets,
    socketRoutes: socketRoutes(collaboration),
    guard,
    idempotency: domains.idempotency,
    ready: readinessOf({ ...ports, keys: domains.keys, storage }),
  });
}
