import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { FastifyRequest } from 'fastify';

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

/**
 * The CORS answer to a request.
 *
 * @param openPaths which pages of any origin may use: no cookie counts there.
 */
export function corsFor(origins: readonly string[], openPaths: ReadonlySet<string>) {
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
    if (openPaths.has(path)) done(null, { ...open, origin: '*' });
    else done(null, path.startsWith('/api/') && !COOKIE_ROUTES.has(path) ? open : { origin: false });
  };
}

/** Throws `foreign_origin` for a route of the cookie that a page elsewhere asks for. */
export function refuseForeignOrigin(request: FastifyRequest, publicUrl: string): void {
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
