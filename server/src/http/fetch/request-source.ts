import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { FastifyRequest } from 'fastify';

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/i;

/** Which pages and names may reach an endpoint that programs on the user's machine use. */
export interface AllowedSources {
  /** Public origin of the server. */
  readonly publicUrl: string;
  /** Web origins that the operator has listed; `*` lists none. */
  readonly origins: readonly string[];
}

/**
 * Throws `foreign_host` or `foreign_origin` unless a request names this server, and comes from no page, or from one
 * that is ours, local or listed. Otherwise a page could reach a server on its visitor's machine or network by letting
 * its own name resolve to that address (DNS rebinding).
 */
export function checkSource(request: FastifyRequest, { publicUrl, origins }: AllowedSources): void {
  const own = new URL(publicUrl);
  const { host = '', origin } = request.headers;
  const name = /^(\[[^\]]*\]|[^:]*)/.exec(host)?.[0].toLowerCase() ?? '';
  if (name !== own.hostname && !LOOPBACK.test(name) && name !== listeningName(request)) {
    throw new NotevaultError('foreign_host');
  }
  if (origin === undefined || origin === own.origin) return;
  const page = URL.parse(origin);
  const isLocal = page !== null && /^https?:$/.test(page.protocol) && LOOPBACK.test(page.hostname);
  if (!isLocal && !origins.includes(origin)) throw new NotevaultError('foreign_origin');
}

/** The address that the connection was made to, as a Host header would have it. */
function listeningName({ raw }: FastifyRequest): string | null {
  const address = raw.socket.localAddress?.replace(/^::ffff:/i, '');
  return address === undefined ? null : address.includes(':') ? `[${address}]` : address;
}
