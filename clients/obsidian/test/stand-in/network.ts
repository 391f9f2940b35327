/** Faults of `requestUrl` on phones. */
export const network = {
  /**
   * The most bytes that a body may have, of a request or an answer: on Android it becomes one string of base64 in a heap
   * of 256 MiB, and the app dies (remotely-save#1020, obsidian-git#877). Infinity on desktops.
   */
  mostBytes: Number.POSITIVE_INFINITY,
  /** Called when the app crashes. */
  crash: (): void => undefined,
  fetch: (url: string, init: RequestInit): Promise<Response> => fetch(url, init),
};

export interface RequestUrlParam {
  readonly url: string;
  readonly method?: string;
  readonly contentType?: string;
  readonly body?: string | ArrayBuffer;
  readonly headers?: Record<string, string>;
  readonly throw?: boolean;
}

/**
 * Returns a request without the rules of the page's origin: the whole body at once, redirects followed, no end before
 * its own, and an error for a status from 400 on unless `throw` is false (api: requestUrl).
 */
export async function requestUrl(request: RequestUrlParam | string) {
  const {
    url,
    method = 'GET',
    contentType,
    body,
    headers = {},
    throw: throws = true,
  } = typeof request === 'string' ? { url: request } : request;
  const type = contentType === undefined ? {} : { 'content-type': contentType };
  if (sizeOf(body) > network.mostBytes) return died();
  const response = await network.fetch(url, {
    method,
    headers: { ...headers, ...type },
    redirect: 'follow',
    credentials: 'omit',
    ...(body === undefined ? {} : { body }),
  });
  const bytes = await response.arrayBuffer();
  if (bytes.byteLength > network.mostBytes) return died();
  if (throws && response.status >= 400) {
    throw Object.assign(new Error(`Request failed, status ${response.status}`), { status: response.status });
  }
  const text = new TextDecoder().decode(bytes);
  return {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    arrayBuffer: bytes,
    text,
    get json() {
      return JSON.parse(text);
    },
  };
}

/** The app is gone: nobody gets an answer. */
function died(): Promise<never> {
  network.crash();
  return new Promise(() => undefined);
}

function sizeOf(body: string | ArrayBuffer | undefined): number {
  return typeof body === 'string' ? new TextEncoder().encode(body).byteLength : (body?.byteLength ?? 0);
}
