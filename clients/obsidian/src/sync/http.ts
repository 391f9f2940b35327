import { SLICE_BYTES } from '@notevault/client/sliced-upload.ts';
import type { Http, HttpRequest } from '@notevault/client/transport.ts';
import { wellKnownUrl } from '@notevault/protocol/public-url.ts';
import { requestUrl } from 'obsidian';

/** Thrown where a body would be too long for `requestUrl`. */
export class BodyTooLong extends Error {
  override readonly name = 'BodyTooLong';
}

export interface HttpOptions {
  /** A replacement for the `fetch` of the page. */
  readonly fetch?: Http;
}

/**
 * Sends requests by the page’s own `fetch`, which streams and ends. Where the server does not take those of the app’s
 * page, `requestUrl` is used, which follows redirects and would tell the token to another host: so only once a request
 * without a token has shown that the origin does not redirect.
 */
export function appHttp({ fetch = (url, request) => window.fetch(url, request) }: HttpOptions = {}): Http {
  const refused = new Set<string>();
  return async (url, request) => {
    if (refused.has(url.origin)) return byRequestUrl(url, request);
    try {
      return await fetch(url, request);
    } catch (error) {
      request.signal?.throwIfAborted();
      if (!(await redirectsNot(url).catch(() => false))) throw error;
    }
    // A phone that has changed its network fails once; a page that may not ask the server fails again while it is there.
    try {
      return await fetch(url, request);
    } catch {
      request.signal?.throwIfAborted();
      const answer = await byRequestUrl(url, request);
      refused.add(url.origin);
      return answer;
    }
  };
}

/** Returns whether the server itself answers: behind a redirect, another one names itself. */
async function redirectsNot({ href, origin }: URL): Promise<boolean> {
  // The path of a server has no segment `api`.
  const server = href.slice(0, href.indexOf('/api/'));
  const answer = await requestUrl({ url: wellKnownUrl(server, 'oauth-authorization-server'), throw: false });
  const issuer = (answer.json as { issuer?: unknown } | null)?.issuer;
  return answer.status === 200 && typeof issuer === 'string' && new URL(issuer).origin === origin;
}

async function byRequestUrl(url: URL, { method, headers, body }: HttpRequest): Promise<Response> {
  const bytes = body === undefined ? null : await new Response(body).arrayBuffer();
  // On phones it becomes one string, which must be short. Longer files go in slices.
  if (bytes !== null && bytes.byteLength > SLICE_BYTES)
    throw new BodyTooLong('the file is too long to be sent at once');
  const answer = await requestUrl({
    ...{ url: url.href, method, headers: Object.fromEntries(headers), throw: false },
    ...(bytes !== null && { body: bytes }),
  });
  const hasBody = ![204, 205, 304].includes(answer.status);
  return new Response(hasBody ? answer.arrayBuffer : null, {
    status: answer.status,
    headers: new Headers(answer.headers),
  });
}
