import type { IncomingMessage } from 'node:http';
import type { FastifyRequest } from 'fastify';

/** Requests that were sent below the path of the public URL, and not directly to the server. */
const below = new WeakSet<IncomingMessage>();

/**
 * Removes the path of the public URL from a request's URL, so that routes are the same with and without one. A proxy
 * passes it on unchanged; a direct request, such as a health check, has none.
 */
export function removePublicPath(request: IncomingMessage & { originalUrl?: string }, publicPath: string): void {
  if (publicPath === '' || request.url === undefined) return;
  // A request line may contain an absolute URL.
  const path = request.url.replace(/^https?:\/\/[^/]*/i, '');
  if (!path.startsWith(`${publicPath}/`)) return;
  below.add(request);
  request.url = path.slice(publicPath.length);
  request.originalUrl = request.url;
}

export function isBelowPublicPath({ raw }: FastifyRequest): boolean {
  return below.has(raw);
}
