/** As in `web/src/data/kept-names.ts`: the worker is one file, which shares none with the pages. */
export const KEPT_FILES = 'notevault-files';

/** A file that is kept on this device on request; null without one. */
export async function keptFile({ url, headers }: Pick<Request, 'url' | 'headers'>): Promise<Response | null> {
  const cache = await caches.open(KEPT_FILES);
  const kept = await cache.match(url, { ignoreVary: true });
  return kept === undefined ? null : partOf(kept, headers.get('range'));
}

/** The part of a file that a player asks for, else all of it. */
export async function partOf(whole: Response, range: string | null): Promise<Response> {
  const [, first = '', last = ''] = /^bytes=(\d+)-(\d*)$/.exec(range ?? '') ?? [];
  if (first === '') return whole;
  const bytes = await whole.blob();
  const [from, to] = [Number(first), Math.min(last === '' ? Number.POSITIVE_INFINITY : Number(last), bytes.size - 1)];
  if (from > to) return new Response(null, { status: 416, headers: { 'content-range': `bytes */${bytes.size}` } });
  const headers = new Headers(whole.headers);
  headers.set('content-range', `bytes ${from}-${to}/${bytes.size}`);
  headers.set('content-length', String(to - from + 1));
  return new Response(bytes.slice(from, to + 1), { status: 206, headers });
}
