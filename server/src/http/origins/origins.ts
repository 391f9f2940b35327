import type { FastifyRequest } from 'fastify';

/** The origins of pages in the Obsidian app: on desktops, on iOS, on Android. Nobody else can have the first two. */
const APP_ORIGINS = ['app://obsidian.md', 'capacitor://localhost', 'http://localhost'];

/**
 * Returns the origins whose pages may call the API with their own credential: the configured ones, and the Obsidian
 * app's unless `none` is listed. Cookies are ignored for all of them.
 */
export function allowedOrigins(configured: readonly string[]): readonly string[] {
  const listed = configured.filter((origin) => origin !== 'none');
  return listed.length < configured.length ? listed : [...new Set([...listed, ...APP_ORIGINS])];
}

/** The parts of a request that tell where it comes from. */
export type Sender = Pick<FastifyRequest, 'headers' | 'protocol' | 'host'>;

/**
 * Whether a page of this server makes the request, or no page at all. A page is ours when its origin is the public
 * address, or the address by which the request reached the server, which may be one of several.
 */
export function isOwnOrigin({ headers, protocol, host }: Sender, publicUrl: string): boolean {
  const { origin } = headers;
  return (
    origin === undefined || origin === new URL(publicUrl).origin || origin === `${protocol}://${host.toLowerCase()}`
  );
}
