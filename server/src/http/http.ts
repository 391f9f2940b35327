import type { IncomingMessage } from 'node:http';
import type { Server as TlsServer } from 'node:tls';
import cookie from '@fastify/cookie';
import cors from '@fastify/cors';
import swagger from '@fastify/swagger';
import { NotevaultError } from '@notevault/protocol/errors.ts';
import { pathOf, wellKnownUrl } from '@notevault/protocol/public-url.ts';
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
  type onRequestHookHandler,
} from 'fastify';
import { FairSemaphore } from '../concurrency/semaphore.ts';
import { REQUESTS_IN_FLIGHT, UPLOADS } from '../config/limits.ts';
import type { Idempotency } from '../domains/foundation/idempotency/idempotency.ts';
import type { Tracing } from '../ports/tracing/tracing.ts';
import { Admission } from './admission.ts';
import { mountRoutes } from './api-routes.ts';
import { limitByAddress } from './auth-limit.ts';
import { DEFAULT_BODY_LIMIT, parseBodies } from './body/body.ts';
import { destroyUnread, refuseExpectation, routeExpectations } from './body/body-stream.ts';
import { AJV_OPTIONS, buildSerializer, buildValidator } from './compilers.ts';
import type { CertificateFiles } from './connections/certificate.ts';
import { onceClosed } from './connections/closed-signal.ts';
import { closeConnectionsOnStop } from './connections/graceful-shutdown.ts';
import {
  handleUpgrades,
  isUpgrade,
  mayUpgrade,
  mountSocket,
  type SocketRoute,
  type Sockets,
} from './connections/sockets.ts';
import { answerClientError, errorHandler, headersFor, requestIdOf } from './errors.ts';
import { type FetchRoute, mountFetchRoute } from './fetch/fetch-route.ts';
import { type MetricsAccess, mountApiProbes, mountMetrics, mountProbes, type Readiness } from './monitoring/probes.ts';
import { openApiDocument } from './openapi.ts';
import { corsFor } from './origins/cors.ts';
import { allowedOrigins } from './origins/origins.ts';
import { overrideMethod, refusalOf, refuseOtherMethods } from './other-methods.ts';
import { mountRawRoutes, type RawRoute } from './pages/raw-routes.ts';
import { removePublicPath } from './public-path.ts';
import { routableUrl } from './request-context.ts';
import type { Guard, Route } from './route.ts';
import type { WebApp } from './web/web-app.ts';
import { mountWebApp } from './web/web-routes.ts';

export interface HttpDeps {
  /** Below `/api`. */
  readonly routes: readonly Route[];
  /** Routes outside `/api`: pages for people, the OAuth endpoints. */
  readonly rawRoutes: readonly RawRoute[];
  readonly fetchRoutes: readonly FetchRoute[];
  readonly socketRoutes: readonly SocketRoute[];
  /** The pages for people who use a browser; null if there are none. */
  readonly webApp: WebApp | null;
  readonly sockets: Sockets;
  readonly guard: Guard;
  readonly idempotency: Pick<Idempotency, 'once'>;
  readonly log: FastifyBaseLogger;
  readonly version: string;
  /** Public URL of the server, for metadata addresses and the origin check. */
  readonly publicUrl: string;
  /** The certificate with which it serves https; null for http. */
  readonly certificate: CertificateFiles | null;
  readonly corsOrigins: readonly string[];
  readonly trustProxy: readonly string[];
  /** Requests per minute per IP and path on `auth` routes; 0 = no limit. */
  readonly authRateLimit: number;
  /** Milliseconds since some moment. */
  readonly elapsed: () => number;
  /** Metrics to collect; if absent, none are collected and `/metrics` does not exist. */
  readonly metrics?: MetricsAccess;
  /** Whether the value of the header `X-Notevault-Probe` is valid; then the answer says how the request arrived. */
  readonly isProbe: (value: unknown) => boolean;
  /** Tracing of requests; absent for none. */
  readonly tracing?: Tracing;
  /**
   * Resolves to the state of the server's parts; rejects when the server cannot serve, because the database is down.
   */
  readonly ready: () => Promise<Readiness>;
}

/** A large file over a slow connection takes hours; a body that stops arriving or is not read is cut off earlier. */
const REQUEST_MS = 6 * 3_600_000;
/**
 * Maximum length of a route parameter: more than the headers of a request may have, because the router's answer to a
 * longer one is not in the catalogue.
 */
const PARAM_LENGTH_MAX = 64 * 1024;
const READ = new Set(['GET', 'HEAD']);
/** HSTS for this host only, because the operator's other hosts may lack HTTPS. */
const HTTPS_ONLY = { 'strict-transport-security': 'max-age=31536000' };

/** Builds the HTTP server over the routes of all domains; it does not listen yet. */
export async function buildHttp(deps: HttpDeps): Promise<FastifyInstance> {
  const app = openFastify(deps);
  app.setErrorHandler(errorHandler(wellKnownUrl(`${deps.publicUrl}/api/mcp`, 'oauth-protected-resource')));
  app.removeAllContentTypeParsers();
  const admission = new Admission();
  const bodies = parseBodies(app, (request) => admission.tenantOf(request));
  const uploads = new FairSemaphore(UPLOADS);
  // First, so that refusals of the others are in its span.
  if (deps.tracing !== undefined) mountTracing(app, deps.tracing);
  guardEveryRequest(app, deps.publicUrl.startsWith('https:') ? HTTPS_ONLY : {});
  closeConnectionsOnStop(app);
  handleUpgrades(app, deps.sockets);
  routeExpectations(app);
  await app.register(cookie);
  const openPaths = new Set(deps.rawRoutes.filter(({ anyOrigin }) => anyOrigin).map(({ path }) => path));
  const cookiePaths = new Set(deps.routes.filter(({ rule }) => rule.readsCookies).map(({ path }) => `/api${path}`));
  sayOffers(app, deps.routes);
  await app.register(cors, { delegator: corsFor(allowedOrigins(deps.corsOrigins), openPaths, cookiePaths) });
  refuseUnknownRoutes(app);
  if (deps.authRateLimit > 0) await limitByAddress(app, deps.authRateLimit, deps.elapsed);
  if (deps.metrics !== undefined) measure(app, deps.metrics, uploads, admission);
  await app.register(swagger, openApiDocument(deps.version, deps.publicUrl));
  await app.register(
    async (api) => {
      await mountRoutes(api, deps.routes, { ...deps, uploads, admission, bodies });
      const sources = { publicUrl: deps.publicUrl, origins: allowedOrigins(deps.corsOrigins) };
      for (const route of deps.fetchRoutes) mountFetchRoute(api, app, route, { ...deps, ...sources, admission });
      for (const route of deps.socketRoutes) mountSocket(api, route, deps.sockets);
      for (const { path } of deps.socketRoutes) refuseOtherMethods(api, path, READ);
      mountApiProbes(api, app, deps.version, deps.isProbe);
    },
    { prefix: '/api' },
  );
  await mountRawRoutes(app, deps.rawRoutes, { ...deps, admission });
  if (deps.webApp !== null) mountWebApp(app, deps.webApp, pathOf(deps.publicUrl));
  mountProbes(app, deps.ready);
  return app;
}

function openFastify(deps: HttpDeps): FastifyInstance {
  const publicPath = pathOf(deps.publicUrl);
  // Node would refuse a missing host without a body; checkHost does it instead.
  const server = { shouldUpgradeCallback: mayUpgrade, requireHostHeader: false };
  const { certificate } = deps;
  const app = Fastify({
    // The server of https extends that of http, and nothing here depends on the difference.
    ...(certificate === null ? { http: server } : { https: { ...server, ...certificate.current } as never }),
    loggerInstance: deps.log,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: requestIdOf,
    requestIdHeader: false,
    rewriteUrl: (request) => {
      removePublicPath(request, publicPath);
      overrideMethod(request);
      return routableUrl(request.url ?? '/');
    },
    trustProxy: deps.trustProxy.length === 0 ? false : [...deps.trustProxy],
    bodyLimit: DEFAULT_BODY_LIMIT,
    routerOptions: { maxParamLength: PARAM_LENGTH_MAX },
    forceCloseConnections: 'idle',
    // Fastify's own answer is not of the catalogue; see closeConnectionsOnStop.
    return503OnClosing: false,
    requestTimeout: REQUEST_MS,
    clientErrorHandler: answerClientError,
    schemaController: { compilersFactory: { buildValidator, buildSerializer } },
    ajv: { customOptions: AJV_OPTIONS },
  }) as FastifyInstance;
  if (certificate !== null) {
    const stop = certificate.watch(app.server as unknown as TlsServer);
    app.addHook('preClose', (done) => {
      stop();
      done();
    });
  }
  return app;
}

function measure(app: FastifyInstance, access: MetricsAccess, uploads: FairSemaphore, admission: Admission): void {
  const { metrics } = access;
  mountMetrics(app, access);
  refuseOtherMethods(app, '/metrics', READ);
  metrics.gauge('notevault_uploads', 'File uploads in progress or queued', () => uploads.used + uploads.waiting);
  metrics.gauge('notevault_requests_waiting', 'Requests that wait for their turn', () => admission.waiting);
  const answerBytes = 'Bytes of large answers that are made or sent';
  metrics.gauge('notevault_answer_bytes', answerBytes, () => admission.answerBytes);
}

/** Adds a path's `offers` headers to the answer to OPTIONS, which the CORS plugin sends. */
function sayOffers(app: FastifyInstance, routes: readonly Route[]): void {
  const offering = routes.filter(({ offers }) => offers !== undefined);
  const paths = offering.map(({ path, offers }) => [`/api${path}`.replace(/\/:.*$/, ''), offers ?? {}] as const);
  app.addHook('onRequest', (request, reply, done) => {
    if (request.method === 'OPTIONS') {
      const path = request.url.split('?', 1)[0] ?? '';
      const found = paths.find(([start]) => path === start || path.startsWith(`${start}/`));
      if (found !== undefined) reply.headers(found[1]);
    }
    done();
  });
}

/** Adds the headers of every answer, and refuses requests beyond the number allowed at once. */
function guardEveryRequest(app: FastifyInstance, more: Readonly<Record<string, string>>): void {
  let inFlight = 0;
  const guard = (request: FastifyRequest, reply: FastifyReply): void => {
    reply.headers({ ...headersFor(request.id), ...more });
    checkFraming(request.raw);
    checkHost(request.raw);
    refuseExpectation(request.raw);
    // Sockets stay open for hours and have their own limits.
    if (isUpgrade(request)) return;
    inFlight += 1;
    onceClosed(reply.raw, () => {
      inFlight -= 1;
    });
    reply.raw.once('finish', () => destroyUnread(request.raw));
    if (inFlight > REQUESTS_IN_FLIGHT) throw new NotevaultError('unavailable');
  };
  app.addHook('onRequest', inline(guard));
  app.addHook('onResponse', (request, reply, done) => {
    request.log.debug({ res: reply }, 'answered');
    done();
  });
}

/** Before the body is read, and after CORS, so that other origins can read the answer and preflights are answered. */
function refuseUnknownRoutes(app: FastifyInstance): void {
  const refuse = (request: FastifyRequest): void => {
    const refusal = refusalOf(request);
    if (refusal !== undefined) throw refusal;
  };
  app.setNotFoundHandler(refuse);
  app.addHook('onRequest', inline(refuse));
}

/** A hook of every request that awaits nothing: without a promise, which would cost as much as the hook. */
function inline(check: (request: FastifyRequest, reply: FastifyReply) => void): onRequestHookHandler {
  return (request, reply, done) => {
    try {
      check(request, reply);
    } catch (error) {
      done(error as Error);
      return;
    }
    done();
  };
}

const FAILED_FROM = 500;

/** Makes a span for each request, named by the pattern of its route; a child of the caller's trace if there is one. */
function mountTracing(app: FastifyInstance, tracing: Tracing): void {
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

/**
 * Throws `bad_request` for a request that a proxy in front may have framed differently: one with a version other than
 * HTTP/1.x, or with a transfer coding that is not decoded here (RFC 9112, sections 2.3 and 6.1).
 */
export function checkFraming({ httpVersion, headers }: IncomingMessage): void {
  if (httpVersion !== '1.1' && httpVersion !== '1.0') throw new NotevaultError('bad_request');
  const coding = headers['transfer-encoding'];
  if (coding === undefined) return;
  if (httpVersion === '1.0' || coding.trim().toLowerCase() !== 'chunked') throw new NotevaultError('bad_request');
}

/** A name, an IPv4 address or a bracketed IPv6 address, and a port; all of it is optional (RFC 9110, section 7.2). */
const HOST = /^(?:\[[\w.:%~-]+\]|(?:[\w.~!$&'()*+,;=-]|%[\da-f]{2})*)(?::\d*)?$/i;

/**
 * Throws `bad_request` unless the request names exactly one host, as HTTP/1.1 requires (RFC 9112, section 3.2): of two,
 * a proxy in front may have used the other one. Node by itself would answer a missing one without a body, and ignore a
 * second one.
 */
export function checkHost({ rawHeaders, httpVersion }: IncomingMessage): void {
  let host: string | undefined;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    if (rawHeaders[at]?.toLowerCase() !== 'host') continue;
    if (host !== undefined) throw new NotevaultError('bad_request');
    host = rawHeaders[at + 1] ?? '';
  }
  if (host === undefined ? httpVersion === '1.1' : !HOST.test(host)) throw new NotevaultError('bad_request');
}
