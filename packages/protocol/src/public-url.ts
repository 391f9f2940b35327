/** Returns the path of a public URL, such as `/notes`, below which everything is served; empty without a path. */
export function pathOf(publicUrl: string): string {
  return new URL(publicUrl).pathname.replace(/\/$/, '');
}

/**
 * Returns the address of a well-known document about `url`. Its name comes first on the host, and the path of the URL
 * follows (RFC 8414, section 3.1; RFC 9728, section 3.1).
 */
export function wellKnownUrl(url: string, name: string): string {
  return `${new URL(url).origin}/.well-known/${name}${pathOf(url)}`;
}
