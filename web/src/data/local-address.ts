/** An address on the origin of this page: the server names its public one, and the page may load only its own. */
export function localAddress(url: string): string {
  const { pathname, search } = new URL(url, location.href);
  return pathname + search;
}
