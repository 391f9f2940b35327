import { pathBelow } from './path-below.ts';

/** Request to the media worker. */
export interface MediaRequest {
  readonly vault: string;
  /** Below the address of the app, encoded. */
  readonly path: string;
}

/** Destinations that may load media. None runs scripts or shows pages: those would have the app's rights. */
const DESTINATIONS: ReadonlySet<string> = new Set(['', 'audio', 'image', 'track', 'video']);

/**
 * Reads a request for an attachment; null for every other one, which the browser then sends as always.
 *
 * @param root the address of the app, which ends in a slash.
 */
export function mediaRequestOf(
  { url, method, destination }: Pick<Request, 'url' | 'method' | 'destination'>,
  root: string,
): MediaRequest | null {
  const match = /^\/media\/([\w-]+)\/(.+)$/.exec(pathBelow(url, root) ?? '');
  if (match === null) return null;
  if (method !== 'GET' || !DESTINATIONS.has(destination)) return null;
  const [, vault = '', path = ''] = match;
  return { vault, path: `/api/attachments/${path}?raw=1` };
}

/** The headers with which the worker asks the server: those that decide on a part of a file are passed on. */
export function headersFor({ vault }: MediaRequest, token: string, asked: Headers): Headers {
  const headers = new Headers({ authorization: `Bearer ${token}`, 'x-vault-id': vault, accept: '*/*' });
  for (const name of ['range', 'if-range', 'if-none-match']) {
    const value = asked.get(name);
    if (value !== null) headers.set(name, value);
  }
  return headers;
}
