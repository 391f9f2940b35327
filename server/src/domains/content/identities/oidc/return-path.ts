import { pathOf } from '@notevault/protocol/public-url.ts';

const LENGTH_MAX = 1024;

/**
 * Returns the address to go to after a sign-in: a page of this server below its public URL, or the app's first page in
 * place of anything else. The address is whole, so that no path can be read as another host.
 */
export function returnAddress(publicUrl: string, sent: unknown): string {
  const home = `${pathOf(publicUrl)}/`;
  const { origin } = new URL(publicUrl);
  const url = typeof sent === 'string' && sent.length <= LENGTH_MAX ? URL.parse(sent, origin) : null;
  if (url === null || url.origin !== origin || !url.pathname.startsWith(home)) return origin + home;
  const path = url.pathname.startsWith(`${home}api/`) ? home : url.pathname;
  return origin + path + url.search + url.hash;
}

/** Returns the path below the public URL if the address is a page on which people sign in for one decision, else null. */
export function signInPageOf(publicUrl: string, address: string): string | null {
  const path = new URL(address).pathname.slice(pathOf(publicUrl).length);
  return /^\/(?:link|oauth\/interaction\/[\w-]+)$/.test(path) ? path : null;
}
