import cookie from '@fastify/cookie';
import cors from '@fastify/cors';
import rateLimit from '@fastify/rate-limit';
import swagger from '@fastify/swagger';
import { NotevaultError } from '@notevault/protocol/errors.ts';
import { networkOf } from '@notevault/protocol/ip-network.ts';
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import { Type } from 'typebox';
import { runForOwner } from '../concurrency/owner.ts';
import type { Devices } from '../domains/devices/devices.ts';
import type { Idempotency } from '../domains/idempotency/idempotency.ts';
import type { OAuth } from '../domains/oauth/oauth.ts';
import type { Tracing } from '../ports/tracing/tracing.ts';
import { Admission, type AdmissionLimits } from './admission.ts';
import { DEFAULT_BODY_LIMIT, type ParsedBodies, PUBLIC_BODY_LIMIT, parseBodies } from './body.ts';
import {
  bodyStreamOf,
  destroyUnread,
  leaveBodiesUnread,
  STREAM_THROUGHPUT,
  type StreamThroughput,
} from './body-stream.ts';
import { answerClientError } from './client-error.ts';
import { buildSerializer, buildValidator } from './compilers.ts';
import { errorHandler, headersFor, requestIdOf } from './errors.ts';
import { refuseExpectation, routeExpectations } from './expectations.ts';
import { checkFraming } from './framing.ts';
import { closeConnectionsOnStop } from './graceful-shutdown.ts';
import { checkHost } from './host.ts';
import { type IdempotentRequest, keyOf, runIdempotent } from './idempotent-route.ts';
import { type MetricsAccess, mountMetrics } from './metrics.ts';
import { mountOAuth, OPEN_TO_ALL } from './oauth.ts';
import { Alive, Health, openApiDocument, plainSchema, schemaOf } from './openapi.ts';
import { knowAllMethods, refuseOtherMethods } from './other-methods.ts';
import { type Authorized, requestContextOf, routableUrl } from './request-context.ts';
import type { Guard, Reply, Route } from './route.ts';
import { send } from './send.ts';
import { handleUpgrades, isUpgrade, mayUpgrade, mountSocket, type SocketRoute, type Sockets } from './sockets.ts';
import { mountTracing } from './tracing.ts';
import { UploadLimiter } from './upload-limiter.ts';

export interface HttpDeps {
  readonly routes: readonly Route[];
  readonly socketRoutes: readonly SocketRoute[];
  readonly sockets: Sockets;
  readonly guard: Guard;
  readonly idempotency: Pick<Idempotency, 'once'>;
  readonly oauth: OAuth;
  readonly devices: Devices;
  readonly log: FastifyBaseLogger;
  readonly version: string;
  /** Origin under which clients reach the server, for metadata addresses and the origin check. */
  readonly publicUrl: string;
  readonly corsOrigins: readonly string[];
  readonly trustProxy: readonly string[];
  /** Requests a minute per IP and path on `auth` routes; 0 = no limit. */
  readonly authRateLimit: number;
  /** How the process is shared between those who send requests. Default: as `Admission` has it. */
  readonly admissionLimits?: AdmissionLimits;
  /** How slowly a body may come that is read as it comes. */
  readonly streamThroughput?: StreamThroughput;
  /** Absent: nothing is measured, and `/metrics` is not there. */
  readonly metrics?: MetricsAccess;
  /** Absent: nothing is traced. */
  readonly tracing?: Tracing;
  /** Rejects when the server cannot serve (the database is away). */
  readonly ready: () => Promise<void>;
}

/** What all routes share. */
interface Mounted extends HttpDeps {
  readonly uploads: UploadLimiter;
  readonly admission: Admission;
  readonly bodies: ParsedBodies;
}

const IN_FLIGHT_MAX = 2000;
/** A large file over a slow line takes hours; a body that stops coming, or that nobody reads, is cut off much earlier. */
const REQUEST_MS = 6 * 3_600_000;
/** More than the headers of a request may have: the router's own answer to a longer one is not of the catalogue. */
const PARAM_LENGTH_MAX = 64 * 1024;
const CORS_HEADERS = [
  'authorization',
  'content-type',
  'x-vault-id',
  'x-device-id',
  'x-idempotency-key',
  'x-mtime',
  'x-request-id',
  'range',
  'if-none-match',
  'mcp-protocol-version',
];
const EXPOSED_HEADERS = [
  'x-request-id',
  'retry-after',
  'idempotency-replayed',
  'etag',
  'content-range',
  'content-disposition',
  'www-authenticate',
];
/** The cookie's own routes: no page of another origin may use them. */
const COOKIE_ROUTES = new Set(['/api/auth/refresh', '/api/auth/logout']);
const READ = new Set(['GET', 'HEAD']);

/** The HTTP server over the routes of all domains; not yet listening. */
export async function buildHttp(deps: HttpDeps): Promise<FastifyInstance> {
  const app = Fastify({
    // Node would refuse a missing host without a word: see checkHost.
    http: { shouldUpgradeCallback: mayUpgrade, requireHostHeader: false },
    loggerInstance: deps.log,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: requestIdOf,
    requestIdHeader: false,
    rewriteUrl: (request) => routableUrl(request.url ?? '/'),
    trustProxy: deps.trustProxy.length === 0 ? false : [...deps.trustProxy],
    bodyLimit: DEFAULT_BODY_LIMIT,
    routerOptions: { maxParamLength: PARAM_LENGTH_MAX },
    forceCloseConnections: 'idle',
    // Fastify's own is not of the catalogue: see closeConnectionsOnStop.
    return503OnClosing: false,
    requestTimeout: REQUEST_MS,
    clientErrorHandler: answerClientError,
    schemaController: { compilersFactory: { buildValidator, buildSerializer } },
    ajv: { customOptions: { coerceTypes: false, removeAdditional: false, allErrors: false, strictTypes: false } },
  });
  const handleError = errorHandler(`${deps.publicUrl}/.well-known/oauth-protected-resource/api/mcp`);
  app.setErrorHandler(handleError);
  app.removeAllContentTypeParsers();
  knowAllMethods(app);
  const admission = new Admission(deps.admissionLimits);
  const bodies = parseBodies(app, (request) => admission.ownerOf(request));
  // First, so that refusals of the others are in its span.
  if (deps.tracing !== undefined) mountTracing(app, deps.tracing);
  guardEveryRequest(app);
  closeConnectionsOnStop(app);
  handleUpgrades(app, deps.sockets);
  routeExpectations(app);
  await app.register(cookie);
  await app.register(cors, { delegator: corsFor(deps.corsOrigins) });
  refuseUnknownRoutes(app);
  if (deps.authRateLimit > 0) {
    await app.register(rateLimit, {
      global: false,
      max: deps.authRateLimit,
      timeWindow: 60_000,
      keyGenerator: (request) => `${networkOf(request.ip)} ${request.routeOptions.url}`,
      errorResponseBuilder: (_request, { ttl }) =>
        new NotevaultError('rate_limited', { retry_after: String(Math.max(1, Math.ceil(ttl / 1000))) }),
    });
  }
  const uploads = new UploadLimiter();
  if (deps.metrics !== undefined) {
    const { metrics } = deps.metrics;
    mountMetrics(app, deps.metrics);
    metrics.gauge('notevault_uploads', 'File uploads in progress or queued', () => uploads.users);
    metrics.gauge('notevault_requests_waiting', 'Requests that wait for their turn', () => admission.waiting);
    metrics.gauge(
      'notevault_answer_bytes',
      'Bytes of large answers that are made or sent',
      () => admission.answerBytes,
    );
  }
  await app.register(swagger, openApiDocument(deps.version, deps.publicUrl));
  const mounted: Mounted = { ...deps, uploads, admission, bodies };
  await app.register(
    async (api) => {
      for (const route of deps.routes) if (route.takes === undefined) mount(api, route, mounted);
      await api.register(async (streamed) => {
        leaveBodiesUnread(streamed);
        for (const route of deps.routes) if (route.takes !== undefined) mount(streamed, route, mounted);
      });
      for (const route of deps.socketRoutes) mountSocket(api, route, deps.sockets);
      mountRefusals(api, deps.routes);
      for (const { path } of deps.socketRoutes) refuseOtherMethods(api, path, READ);
      for (const path of ['/openapi', '/health']) refuseOtherMethods(api, path, READ);
      const document = plainSchema('getOpenApi', 'This document', Type.Object({}, { additionalProperties: true }));
      api.get('/openapi', { schema: document }, async () => app.swagger());
      const health = plainSchema('getHealth', 'That the server runs, and which version', Health);
      api.get('/health', { schema: health }, async () => ({ status: 'ok', version: deps.version }));
    },
    { prefix: '/api' },
  );
  const { oauth, devices, publicUrl } = deps;
  await mountOAuth(app, { oauth, devices, publicUrl, rateLimited: deps.authRateLimit > 0 });
  app.get('/healthz', { schema: plainSchema('isAlive', 'That the process runs', Alive) }, async () => ({
    status: 'ok',
  }));
  app.get('/readyz', { schema: plainSchema('isReady', 'That the server can serve', Alive) }, async () => {
    await deps.ready().catch((cause) => {
      throw new NotevaultError('unavailable', {}, cause);
    });
    return { status: 'ok' };
  });
  for (const path of ['/healthz', '/readyz', ...(deps.metrics === undefined ? [] : ['/metrics'])]) {
    refuseOtherMethods(app, path, READ);
  }
  return app;
}

/** Every answer carries the request id and refuses sniffing; past a bound of requests at once the rest come back later. */
function guardEveryRequest(app: FastifyInstance): void {
  let inFlight = 0;
  app.addHook('onRequest', async (request, reply) => {
    reply.headers(headersFor(request.id));
    checkFraming(request.raw);
    checkHost(request.raw);
    refuseExpectation(request.raw);
    // Sockets stay for hours, and have bounds of their own.
    if (isUpgrade(request)) return;
    inFlight += 1;
    reply.raw.once('close', () => {
      inFlight -= 1;
    });
    reply.raw.once('finish', () => destroyUnread(request.raw));
    if (inFlight > IN_FLIGHT_MAX) throw new NotevaultError('unavailable');
  });
  app.addHook('onResponse', async (request, reply) => {
    request.log.debug({ res: reply }, 'answered');
  });
}

/** Before the body is read; and after CORS, so that pages elsewhere can see the answer and a preflight gets its own. */
function refuseUnknownRoutes(app: FastifyInstance): void {
  const refuse = () => {
    throw new NotevaultError('not_found_route');
  };
  app.setNotFoundHandler(refuse);
  app.addHook('onRequest', async (request) => {
    // The CORS plugin's own route, for OPTIONS anywhere, is none either.
    if (request.is404 || request.routeOptions.url === '*') refuse();
  });
}

function mount(api: FastifyInstance, route: Route, parts: Mounted): void {
  const authorized = new WeakMap<FastifyRequest, Authorized>();
  const anybody = route.access === 'public' || route.limit === 'auth';
  const successStatus = Math.min(...Object.keys(route.responses).map(Number));
  api.route({
    method: route.method,
    url: route.path,
    schema: schemaOf(route),
    bodyLimit: route.bodyLimit ?? (anybody ? PUBLIC_BODY_LIMIT : DEFAULT_BODY_LIMIT),
    // What a streamed body must look like is for its operation to say.
    ...(route.takes === undefined ? {} : { validatorCompiler: () => () => true }),
    config: route.limit === 'auth' && parts.authRateLimit > 0 ? { rateLimit: {} } : { rateLimit: false },
    // Before the body is read: who calls, and to which vault.
    onRequest: async (request, reply) => {
      refuseForeignOrigin(request, parts.publicUrl);
      authorized.set(request, await authorize(route, request, reply, parts));
      if ('perform' in route) keyOf(request, route);
    },
    handler: async (request, reply) => {
      const { admission } = parts;
      const handle = async () => {
        // The call was assembled from the very schemas that the handler's types were made from.
        const call = requestContextOf(request, route, authorized.get(request) ?? {}) as IdempotentRequest;
        const answered = async (call: IdempotentRequest) =>
          'perform' in route
            ? runIdempotent(parts.idempotency, route, call, keyOf(request, route), successStatus)
            : route.handle(call);
        const room =
          route.answerBytes === undefined ? null : await admission.room(request, reply.raw, route.answerBytes);
        const answer = await (route.takes === undefined
          ? answered(call)
          : withBody(request, route, call, parts, answered));
        parts.bodies.done(request);
        await send(reply, answer, successStatus, parts.publicUrl, room);
      };
      // What comes over slow lines has places of its own, and would keep its sender's other requests from being answered.
      if (route.takes === undefined) await admission.work(request, reply.raw, handle);
      else await runForOwner(admission.ownerOf(request), handle);
      return reply;
    },
  });
}

/** Gives a call its body, which is read while it is answered; one of few at a time. */
async function withBody(
  request: FastifyRequest,
  { takes }: Route,
  call: IdempotentRequest,
  { uploads, streamThroughput = STREAM_THROUGHPUT }: Mounted,
  answered: (call: IdempotentRequest) => Promise<Reply>,
): Promise<Reply> {
  using stream = bodyStreamOf(request, takes?.mediaType ?? '', streamThroughput);
  const account = (call as Authorized).principal?.userId ?? '';
  return await uploads.run(account, request.raw, () => answered({ ...call, stream } as IdempotentRequest));
}

async function authorize(
  route: Route,
  request: FastifyRequest,
  reply: FastifyReply,
  { guard, admission }: Mounted,
): Promise<Authorized> {
  if (route.access === 'public') return {};
  const { authorization, 'user-agent': userAgent = null } = request.headers;
  const client = { ip: request.ip, userAgent };
  // Until it is known who calls, it counts against the share of the network they call from.
  const owner = admission.ownerOf(request);
  const principal = await runForOwner(owner, () => guard.authenticate(authorization, client));
  guard.consumeQuota(principal, { onboarding: route.onboarding ?? false });
  admission.admit(request, reply.raw, principal.userId);
  if (route.access === 'credential') return { principal };
  if (route.access === 'session') {
    if (principal.kind !== 'session') throw new NotevaultError('api_key_not_allowed');
    return { principal };
  }
  const need = route.access;
  const header = request.headers['x-vault-id'];
  const sent = Array.isArray(header) ? header[0] : header;
  const vault = await runForOwner(principal.userId, () => guard.openVault(principal, sent, need));
  return { principal, vault };
}

/** The methods of each path with routes; all others answer 405. */
function mountRefusals(api: FastifyInstance, routes: readonly Pick<Route, 'path' | 'method' | 'anyName'>[]): void {
  const methodsOf = new Map<string, Set<string>>();
  for (const { path, method } of routes) methodsOf.set(path, (methodsOf.get(path) ?? new Set()).add(method));
  for (const { path, method } of routes.filter((route) => route.anyName)) {
    for (const [url, present] of methodsOf) if (url.startsWith(path.slice(0, -1))) present.add(method);
  }
  for (const [url, present] of methodsOf) {
    if (present.has('GET')) present.add('HEAD');
    refuseOtherMethods(api, url, present);
  }
}

function corsFor(origins: readonly string[]) {
  const open = {
    origin: origins.includes('*') ? '*' : [...origins],
    methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
    allowedHeaders: CORS_HEADERS,
    exposedHeaders: EXPOSED_HEADERS,
    maxAge: 86_400,
    strictPreflight: false,
  };
  return (request: FastifyRequest, done: (error: Error | null, options?: object) => void) => {
    const path = routedPath(request);
    if (OPEN_TO_ALL.has(path)) done(null, { ...open, origin: '*' });
    else done(null, path.startsWith('/api/') && !COOKIE_ROUTES.has(path) ? open : { origin: false });
  };
}

function refuseForeignOrigin(request: FastifyRequest, publicUrl: string): void {
  const { origin } = request.headers;
  if (origin === undefined || !COOKIE_ROUTES.has(routedPath(request))) return;
  if (origin !== publicUrl) throw new NotevaultError('foreign_origin');
}

/**
 * The pattern of the request's route, however its URL spelled it (`/api/auth/%72efresh`). A preflight has no route of its
 * own, and neither has an unknown path: there it is the path, decoded.
 */
function routedPath(request: FastifyRequest): string {
  const { url } = request.routeOptions;
  if (url !== undefined && url !== '*') return url;
  return decodeURIComponent(request.url.split('?', 1)[0] ?? '');
}
