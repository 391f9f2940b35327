import { isIP } from 'node:net';
import type { FastifyRequest } from 'fastify';

/** Headers by which proxies name the client for which they ask. */
const FORWARDING = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip'];
/** Addresses on which a server listens to every network of its machine. */
const ANY_ADDRESS = new Set(['0.0.0.0', '[::]']);

/** The origins of pages in the Obsidian app: on desktops, on iOS, on Android. Nobody else can have the first two. */
const APP_ORIGINS = ['app://obsidian.md', 'capacitor://localhost', 'http://localhost'];

/**
 * The origins whose pages may call the API with a credential of their own, of those that are configured: the Obsidian
 * app's are among them unless `none` is listed. A cookie counts for none of them.
 */
export function allowedOrigins(configured: readonly string[]): readonly string[] {
  const listed = configured.filter((origin) => origin !== 'none');
  return listed.length < configured.length ? listed : [...new Set([...listed, ...APP_ORIGINS])];
}

/** What a request says of where it comes from. */
export type Sender = Pick<FastifyRequest, 'headers' | 'ip' | 'protocol' | 'host'>;

/**
 * Whether a page of this server makes the request, or no page at all. A page is ours when its origin is the public
 * address, or the address by which the request reached the server, which may be one of several.
 */
export function isOwnOrigin({ headers, protocol, host }: Sender, publicUrl: string): boolean {
  const { origin } = headers;
  return origin === undefined || origin === publicUrl || origin === `${protocol}://${host.toLowerCase()}`;
}

/**
 * Whether a request was made on the machine of the server, by a program or by a page of the server. Never behind a
 * public address, where a proxy may make every request look so. Neither the pages of others, which can call a server on
 * their reader's machine, nor a name that somebody made resolve to it, count as local.
 */
export function isLocal(sender: Sender, publicUrl: string): boolean {
  const { headers, ip, host } = sender;
  if (!isLoopbackName(new URL(publicUrl).hostname, ANY_ADDRESS)) return false;
  if (!isLoopbackAddress(ip) || FORWARDING.some((name) => headers[name] !== undefined)) return false;
  const url = URL.parse(`http://${host}`);
  return url !== null && isLoopbackName(url.hostname) && isOwnOrigin(sender, publicUrl);
}

/** @param more other names to accept. */
function isLoopbackName(name: string, more: ReadonlySet<string> = new Set()): boolean {
  return name === 'localhost' || more.has(name) || isLoopbackAddress(name.replace(/^\[(.*)\]$/, '$1'));
}

function isLoopbackAddress(address: string): boolean {
  const plain = address.replace(/^::ffff:/i, '');
  return plain === '::1' || (isIP(plain) === 4 && plain.startsWith('127.'));
}
