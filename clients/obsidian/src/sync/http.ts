import type { Http, HttpRequest } from '@notevault/client/transport.ts';
import { requestUrl } from 'obsidian';

/** The longest body by `requestUrl`: on phones it becomes one string, which must be short. */
export const SLICE_BYTES = 4 * 1024 * 1024;

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
  const isDirect = new Map<string, Promise<boolean>>();
  const direct = (origin: string): Promise<boolean> => {
    const known = isDirect.get(origin) ?? redirectsNot(origin);
    isDirect.set(origin, known);
    known.then(
      (is) => is || isDirect.delete(origin),
      () => isDirect.delete(origin),
    );
    return known;
  };
  const refused = new Set<string>();
  return async (url, request) => {
    if (!refused.has(url.origin)) {
      try {
        return await fetch(url, request);
      } catch (error) {
        request.signal?.throwIfAborted();
        if (!(await direct(url.origin).catch(() => false))) throw error;
        // The server is there and the page may not ask it.
        refused.add(url.origin);
      }
    }
    if (!(await direct(url.origin))) throw new TypeError(`${url.origin} redirects`);
    return byRequestUrl(url, request);
  };
}

/** Whether the server itself answers: behind a redirect, another one names itself. */
async function redirectsNot(origin: string): Promise<boolean> {
  const answer = await requestUrl({ url: `${origin}/.well-known/oauth-authorization-server`, throw: false });
  const issuer = (answer.json as { issuer?: unknown } | null)?.issuer;
  return answer.status === 200 && typeof issuer === 'string' && new URL(issuer).origin === origin;
}

async function byRequestUrl(url: URL, { method, headers, body }: HttpRequest): Promise<Response> {
  const bytes = body === undefined ? null : await new Response(body).arrayBuffer();
  if (bytes !== null && bytes.byteLength > SLICE_BYTES)
    throw new BodyTooLong('the file is too long to be sent at once');
  const isFile = method === 'GET' && url.pathname.startsWith('/api/attachments/');
  if (isFile) return inSlices(url, headers);
  return responseOf(await send(url, method, headers, bytes));
}

function send(url: URL, method: string, headers: Headers, body: ArrayBuffer | null) {
  const sent = Object.fromEntries(headers);
  return requestUrl({ url: url.href, method, headers: sent, throw: false, ...(body !== null && { body }) });
}

type Answer = Awaited<ReturnType<typeof send>>;

function responseOf({ status, headers, arrayBuffer }: Answer): Response {
  const hasBody = status !== 204 && status !== 205 && status !== 304;
  return new Response(hasBody ? arrayBuffer : null, { status, headers: new Headers(headers) });
}

/** The bytes of a file by ranges, each asked for when the one before is read. */
async function inSlices(url: URL, headers: Headers): Promise<Response> {
  const range = (from: number, tag: string | null) => {
    const sent = new Headers(headers);
    sent.set('range', `bytes=${from}-${from + SLICE_BYTES - 1}`);
    if (tag !== null) sent.set('if-match', tag);
    return send(url, 'GET', sent, null);
  };
  const first = await range(0, null);
  if (first.status !== 206) return responseOf(first);
  const answer = responseOf(first);
  const total = Number(/\/(\d+)$/.exec(answer.headers.get('content-range') ?? '')?.[1] ?? Number.NaN);
  const tag = answer.headers.get('etag');
  if (!Number.isFinite(total) || tag === null) throw new TypeError('the server tells no size of a part');
  let at = first.arrayBuffer.byteLength;
  const rest = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(new Uint8Array(first.arrayBuffer)),
    async pull(controller) {
      if (at >= total) return controller.close();
      const next = await range(at, tag);
      // Another file has its path by now.
      if (next.status !== 206) throw new TypeError(`the server answered ${next.status} to a part`);
      at += next.arrayBuffer.byteLength;
      controller.enqueue(new Uint8Array(next.arrayBuffer));
    },
  });
  const whole = new Headers(answer.headers);
  whole.set('content-length', String(total));
  whole.delete('content-range');
  return new Response(rest, { status: 200, headers: whole });
}
