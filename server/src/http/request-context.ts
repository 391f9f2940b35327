import { decodeUrlPath, normalizePath, PathError } from '@notevault/note-text/paths.ts';
import { invalid } from '@notevault/protocol/errors.ts';
import type { FastifyRequest } from 'fastify';
import type { OpenVault, Principal } from '../domains/foundation/access/access.ts';
import type { InTransaction } from '../domains/foundation/idempotency/idempotency.ts';
import type { Standing } from '../domains/foundation/rights/rights.ts';
import type { RequestContext, Route } from './route.ts';

/** The result of a route's access check. */
export interface Authorized {
  readonly principal?: Principal;
  readonly vault?: OpenVault;
  readonly standing?: Standing;
  /** Whether all of the request had arrived when it was decided. */
  readonly arrivedWhole?: boolean;
  /** See `RouteSpec.prefetch`. */
  readonly prefetched?: Promise<unknown>;
}

const NO_COOKIES = {};
const DEVICE_BYTES_MAX = 64;
const AGENT_LENGTH_MAX = 80;

/** Makes a route's view of a request: headers, cookies and path are read here only. */
export function requestContextOf(
  request: FastifyRequest,
  route: Route,
  authorized: Authorized,
): RequestContext & Authorized {
  const { headers } = request;
  const device = headers['x-device-id'];
  const call = {
    requestId: request.id,
    ip: request.ip,
    userAgent: headers['user-agent'] ?? null,
    device: typeof device === 'string' && Buffer.byteLength(device) <= DEVICE_BYTES_MAX ? device : null,
    agent: agentOf(headers['x-agent']),
    cookies: route.rule.readsCookies ? request.cookies : NO_COOKIES,
    authorization: headers.authorization ?? null,
    origin: headers.origin ?? null,
    header: (name: string) => headerOf(request, name),
    tail: tailOf(request, route),
    body: request.body,
    query: request.query,
    params: request.params,
    ...authorized,
  };
  return call;
}

/** Returns a header by its lower-case name; null without it. */
export function headerOf({ headers, method }: Pick<FastifyRequest, 'headers' | 'method'>, name: string): string | null {
  // A range is of what GET answers (RFC 9110, section 14.2).
  if (name === 'range' && method === 'HEAD') return null;
  const value = headers[name];
  return typeof value === 'string' ? value : null;
}

/** Decodes the name of an assistant's program; one that cannot be decoded, or is longer than allowed, is cut. */
function agentOf(header: string | string[] | undefined): string | null {
  if (typeof header !== 'string' || header === '') return null;
  let name = header;
  try {
    name = decodeURIComponent(header);
  } catch {
    // It is shown as it was sent.
  }
  return name.slice(0, AGENT_LENGTH_MAX).toWellFormed();
}

/**
 * The URL for the router, which would refuse a path that is not percent-encoded UTF-8 before any of our hooks runs.
 * Such a path gets its percent signs escaped, and the code that reads the path reports the error.
 */
export function routableUrl(url: string): string {
  const path = url.split('?', 1)[0] ?? '';
  return isDecodable(path) ? url : path.replaceAll('%', '%25') + url.slice(path.length);
}

/** Whether a text is percent-encoded UTF-8. A bundler drops a call for its error alone: it takes decoding for pure. */
function isDecodable(text: string): boolean {
  try {
    return decodeURIComponent(text).length <= text.length;
  } catch {
    return false;
  }
}

/**
 * The rest of the URL path behind a route's `/*`, taken from the URL as sent, because the router decodes it as a whole
 * and vault paths are decoded by segment. The part before it is skipped by segments, because percent-encoding may make
 * it longer than the route's pattern.
 */
export function tailOf(request: FastifyRequest, route: Route): string {
  if (!route.path.endsWith('/*')) return '';
  // A request line may contain an absolute URL; the router drops its origin in the same way.
  const path = request.originalUrl.replace(/^https?:\/\/.*?\//i, '/').split('?', 1)[0] ?? '';
  const before = `/api${route.path}`.split('/').length - 1;
  const rest = path.split('/').slice(before).join('/');
  if (route.tail === 'text') return decodedText(rest);
  try {
    return normalizePath(decodeUrlPath(rest));
  } catch (error) {
    if (error instanceof PathError) throw invalid({ path: [error.reason] });
    throw error;
  }
}

function decodedText(encoded: string): string {
  try {
    return decodeURIComponent(encoded);
  } catch {
    throw invalid({ path: ['is not percent-encoded UTF-8'] });
  }
}

/** Makes the context of a write (principal, vault, device) for the operations of notes and attachments. */
export function writeContextOf<Result>(
  request: Caller & { readonly vault: OpenVault; readonly device: string | null },
  inTransaction: InTransaction<Result>,
) {
  return { vault: request.vault, actor: actorOf(request), device: request.device, inTransaction };
}

interface Caller {
  readonly principal: Principal;
  readonly agent: string | null;
}

export function actorOf({ principal: { kind, name, userId }, agent }: Caller) {
  return { kind, name, ...(agent === null ? {} : { client: agent }), userId };
}
