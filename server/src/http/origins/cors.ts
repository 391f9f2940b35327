import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { FastifyRequest } from 'fastify';
import { isOwnOrigin } from './origins.ts';

const CORS_HEADERS = [
  'authorization',
  'content-type',
  'x-vault-id',
  'x-device-id',
  'x-idempotency-key',
  'x-mtime',
  'x-request-id',
  'range',
  'if-match',
  'if-none-match',
  'mcp-protocol-version',
  'mcp-method',
  'mcp-name',
  'mcp-session-id',
  'last-event-id',
  'tus-resumable',
  'upload-length',
  'upload-metadata',
  'upload-offset',
  'upload-checksum',
  'upload-defer-length',
  'upload-concat',
  'x-http-method-override',
];
const EXPOSED_HEADERS = [
  'x-request-id',
  'retry-after',
  'idempotency-replayed',
  'etag',
  'content-range',
  'content-disposition',
  'www-authenticate',
  'location',
  'tus-resumable',
  'tus-version',
  'tus-extension',
  'tus-max-size',
  'tus-checksum-algorithm',
  'upload-offset',
  'upload-length',
  'upload-metadata',
  'upload-expires',
];

/**
 * Makes the CORS answer to a request.
 *
 * @param openPaths paths that pages of any origin may use, because no cookie counts there.
 * @param cookiePaths paths of routes that read a cookie; pages of other origins must not use them.
 */
export function corsFor(origins: readonly string[], openPaths: ReadonlySet<string>, cookiePaths: ReadonlySet<string>) {
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
    else done(null, path.startsWith('/api/') && !cookiePaths.has(path) ? open : { origin: false });
  };
}

/** Throws `foreign_origin` for a page of another origin. Programs send no origin. */
export function refuseForeignOrigin(request: FastifyRequest, publicUrl: string): void {
  if (!isOwnOrigin(request, publicUrl)) throw new NotevaultError('foreign_origin');
}

/** The pattern of the request's route, however its URL is spelled; the decoded path if it has none. */
function routedPath(request: FastifyRequest): string {
  const { url } = request.routeOptions;
  if (url !== undefined && url !== '*') return url;
  return decodeURIComponent(request.url.split('?', 1)[0] ?? '');
}
