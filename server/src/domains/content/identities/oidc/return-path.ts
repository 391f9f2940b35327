import { SIGN_IN_PAGE } from '@notevault/protocol/passkeys.ts';
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

/**
 * Returns the address below the public URL if it is a page on which people sign in for one decision, else null. The page
 * of a device link is one with the code of the device.
 */
export function signInPageOf(publicUrl: string, address: string): string | null {
  const { pathname, search } = new URL(address);
  const page = pathname.slice(pathOf(publicUrl).length) + search;
  return new RegExp(SIGN_IN_PAGE).test(page) ? page : null;
}
