import cookie from '@fastify/cookie';
import cors from '@fastify/cors';
import rateLimit from '@fastify/rate-limit';
import swagger from '@fastify/swagger';
import { NotevaultError } from '@notevault/protocol/errors.ts';
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import { Type } from 'typebox';
import type { Idempotency } from '../domains/idempotency/idempotency.ts';
import { DEFAULT_BODY_LIMIT, PUBLIC_BODY_LIMIT, takeBodies } from './body.ts';
import { type Admitted, callOf, routableUrl } from './call.ts';
import { errorHandler, headersFor } from './errors.ts';
import { answerKeyed, type KeyedCall, keyOf } from './keyed.ts';
import { Alive, Health, openApiDocument, plainSchema, schemaOf } from './openapi.ts';
import type { Gate, Reply, Route } from './route.ts';
import { letConnectionsGo } from './stopping.ts';
import { answerUnreadable } from './unreadable.ts';

export interface HttpParts {
  readonly routes: readonly Route[];
  readonly gate: Gate;
  readonly idempotency: Pick<Idempotency, 'once'>;
  readonly log: FastifyBaseLogger;
  readonly version: string;
  /** Origin under which clients reach the server, for metadata addresses and the origin check. */
  readonly publicUrl: string;
  readonly corsOrigins: readonly string[];
  readonly trustProxy: readonly string[];
  /** Requests a minute per IP and path on `auth` routes; 0 = no limit. */
  readonly authRateLimit: number;
  /** Rejects when the server cannot serve (the database is away). */
  readonly ready: () => Promise<void>;
}

const REQUEST_ID = /^[\w.:-]{1,128}$/;
const IN_FLIGHT_MAX = 2000;
/** Percent-encoded, a path of 4,096 bytes has up to three times as many characters. */
const PARAM_LENGTH_MAX = 3 * 4096 + 64;
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

/** The HTTP server over the routes of all rooms; not yet listening. */
export async function buildHttp(parts: HttpParts): Promise<FastifyInstance> {
  const app = Fastify({
    loggerInstance: parts.log,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: (request) => requestIdOf(request.headers['x-request-id']),
    requestIdHeader: false,
    rewriteUrl: (request) => routableUrl(request.url ?? '/'),
    trustProxy: parts.trustProxy.length === 0 ? false : [...parts.trustProxy],
    bodyLimit: DEFAULT_BODY_LIMIT,
    routerOptions: { maxParamLength: PARAM_LENGTH_MAX },
    forceCloseConnections: 'idle',
    requestTimeout: 300_000,
    clientErrorHandler: answerUnreadable,
    ajv: { customOptions: { coerceTypes: false, removeAdditional: false, allErrors: false, strictTypes: false } },
  });
  const handleError = errorHandler(`${parts.publicUrl}/.well-known/oauth-protected-resource/api/mcp`);
  app.setErrorHandler(handleError);
  app.removeAllContentTypeParsers();
  takeBodies(app);
  guardEveryRequest(app);
  letConnectionsGo(app);
  await app.register(cookie);
  await app.register(cors, { delegator: corsFor(parts.corsOrigins) });
  refuseUnknownRoutes(app);
  if (parts.authRateLimit > 0) {
    await app.register(rateLimit, {
      global: false,
      max: parts.authRateLimit,
      timeWindow: 60_000,
      keyGenerator: (request) => `${request.ip} ${request.routeOptions.url}`,
      errorResponseBuilder: (_request, { ttl }) =>
        new NotevaultError('rate_limited', { retry_after: String(Math.max(1, Math.ceil(ttl / 1000))) }),
    });
  }
  await app.register(swagger, openApiDocument(parts.version, parts.publicUrl));
  await app.register(
    async (api) => {
      for (const route of parts.routes) mount(api, route, parts);
      refuseOtherMethods(api, parts.routes);
      const document = plainSchema('getOpenApi', 'This document', Type.Object({}, { additionalProperties: true }));
      api.get('/openapi', { schema: document }, async () => app.swagger());
      const health = plainSchema('getHealth', 'That the server runs, and which version', Health);
      api.get('/health', { schema: health }, async () => ({ status: 'ok', version: parts.version }));
    },
    { prefix: '/api' },
  );
  app.get('/healthz', { schema: plainSchema('isAlive', 'That the process runs', Alive) }, async () => ({
    status: 'ok',
  }));
  app.get('/readyz', { schema: plainSchema('isReady', 'That the server can serve', Alive) }, async () => {
    await parts.ready().catch((cause) => {
      throw new NotevaultError('unavailable', {}, cause);
    });
    return { status: 'ok' };
  });
  return app;
}

/** Every answer carries the request id and refuses sniffing; past a bound of requests at once the rest come back later. */
function guardEveryRequest(app: FastifyInstance): void {
  let inFlight = 0;
  app.addHook('onRequest', async (request, reply) => {
    reply.headers(headersFor(request.id));
    inFlight += 1;
    reply.raw.once('close', () => {
      inFlight -= 1;
    });
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

function mount(api: FastifyInstance, route: Route, parts: HttpParts): void {
  const admitted = new WeakMap<FastifyRequest, Admitted>();
  const anybody = route.access === 'public' || route.limit === 'auth';
  const successStatus = Math.min(...Object.keys(route.responses).map(Number));
  api.route({
    method: route.method,
    url: route.path,
    schema: schemaOf(route),
    bodyLimit: route.bodyLimit ?? (anybody ? PUBLIC_BODY_LIMIT : DEFAULT_BODY_LIMIT),
    config: route.limit === 'auth' && parts.authRateLimit > 0 ? { rateLimit: {} } : { rateLimit: false },
    // Before the body is read: who calls, and to which vault.
    onRequest: async (request) => {
      refuseForeignOrigin(request, parts.publicUrl);
      admitted.set(request, await admit(route, request, parts.gate));
      if ('perform' in route) keyOf(request, route);
    },
    handler: async (request, reply) => {
      // The call was assembled from the very schemas that the handler's types were made from.
      const call = callOf(request, route, admitted.get(request) ?? {}) as KeyedCall;
      const answer =
        'perform' in route
          ? await answerKeyed(parts.idempotency, route, call, keyOf(request, route), successStatus)
          : await route.handle(call);
      send(reply, answer, successStatus, parts.publicUrl);
      return reply;
    },
  });
}

async function admit(route: Route, request: FastifyRequest, gate: Gate): Promise<Admitted> {
  if (route.access === 'public') return {};
  const principal = await gate.authenticate(request.headers.authorization);
  if (route.access === 'credential') return { principal };
  if (route.access === 'session') {
    if (principal.kind !== 'session') throw new NotevaultError('api_key_not_allowed');
    return { principal };
  }
  const header = request.headers['x-vault-id'];
  const vault = await gate.openVault(principal, Array.isArray(header) ? header[0] : header, route.access);
  return { principal, vault };
}

function send(reply: FastifyReply, answer: Reply, successStatus: number, publicUrl: string): void {
  reply.code(answer.status ?? successStatus);
  if (answer.headers !== undefined) reply.headers(answer.headers);
  if (answer.cookie !== undefined) {
    const { name, value, path, maxAgeSeconds } = answer.cookie;
    const options = { path, httpOnly: true, sameSite: 'lax', secure: publicUrl.startsWith('https:') } as const;
    if (value === null) reply.clearCookie(name, options);
    else reply.setCookie(name, value, { ...options, maxAge: maxAgeSeconds });
  }
  reply.send(answer.body);
}

/** For each path with routes, the methods it lacks answer 405 with what it has. */
function refuseOtherMethods(api: FastifyInstance, routes: readonly Route[]): void {
  const methodsOf = new Map<string, Set<string>>();
  for (const { path, method } of routes) methodsOf.set(path, (methodsOf.get(path) ?? new Set()).add(method));
  for (const [url, present] of methodsOf) {
    if (present.has('GET')) present.add('HEAD');
    const allow = [...present].sort().join(', ');
    const others = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'TRACE'].filter((method) => !present.has(method));
    api.route({
      method: others,
      url,
      exposeHeadRoute: false,
      schema: { hide: true },
      onRequest: async () => {
        throw new NotevaultError('method_not_allowed', { allow });
      },
      handler: async () => undefined,
    });
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
    done(null, path.startsWith('/api/') && !COOKIE_ROUTES.has(path) ? open : { origin: false });
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

function requestIdOf(header: string | string[] | undefined): string {
  return typeof header === 'string' && REQUEST_ID.test(header) ? header : crypto.randomUUID();
}
