/** The cache of the app itself. Nothing of an account is in it. */
const SHELL = 'notevault-shell';
// Relative addresses are below that of the worker, which is that of the app.
const PAGE = 'index.html';
/** The build writes here what the page loads. */
const FILES = 'app-files.json';
/** Statuses a proxy answers with while the server behind it is down. */
export const AWAY: ReadonlySet<number> = new Set([502, 503, 504]);

/** The page as the server has it, else as it was when it was last reached. */
export async function shellPage(request: Request, waitUntil: (work: Promise<unknown>) => void): Promise<Response> {
  const cache = await caches.open(SHELL);
  const kept = async () => cache.match(PAGE, { ignoreVary: true });
  try {
    const answer = await fetch(request);
    if (AWAY.has(answer.status)) return (await kept()) ?? answer;
    if (isPage(answer)) waitUntil(keepPage(cache, answer.clone()));
    return answer;
  } catch (error) {
    const page = await kept();
    if (page === undefined) throw error;
    return page;
  }
}

/** A file by its address, which names its content. */
export async function shellFile(request: Request): Promise<Response> {
  const cache = await caches.open(SHELL);
  const kept = await cache.match(request.url, { ignoreVary: true });
  if (kept !== undefined) return kept;
  const answer = await fetch(request);
  if (answer.ok) await cache.put(request.url, answer.clone());
  return answer;
}

function isPage({ ok, headers }: Response): boolean {
  return ok && headers.get('content-type')?.startsWith('text/html') === true;
}

/**
 * Keeps the page, which was loaded before there was a worker, and files that are not kept yet, one after the other: they
 * must not delay what somebody waits for.
 */
export async function keepFiles(addresses: readonly string[]): Promise<void> {
  const cache = await caches.open(SHELL);
  if ((await cache.match(PAGE, { ignoreVary: true })) === undefined) {
    const page = await fetch('./').catch(() => null);
    if (page !== null && isPage(page)) await cache.put(PAGE, page);
  }
  for (const address of addresses) {
    if ((await cache.match(address, { ignoreVary: true })) !== undefined) continue;
    // One that is gone belongs to another build, whose page brings its own.
    await cache.add(address).catch(() => undefined);
  }
}

/** The addresses of all files of the app, as the server has it now; none while it is away. */
export async function allFiles(): Promise<readonly unknown[]> {
  const answer = await fetch(FILES, { cache: 'no-cache' }).catch(() => null);
  const list: unknown = answer?.ok === true ? await answer.json().catch(() => null) : null;
  return Array.isArray(list) ? list : [];
}

/** Whether the server says that it has no such worker. One that is away says nothing. */
export async function isWithdrawn(script: string): Promise<boolean> {
  const answer = await fetch(script, { method: 'HEAD', cache: 'no-store' }).catch(() => null);
  return answer?.status === 404 || answer?.status === 410;
}

/** Removes all that is kept of the app. */
export async function forgetShell(): Promise<void> {
  await caches.delete(SHELL);
}

/** With the page of another build, the files of the one before go: they would pile up. */
async function keepPage(cache: Cache, page: Response): Promise<void> {
  const before = await cache.match(PAGE, { ignoreVary: true });
  if (before !== undefined && before.headers.get('etag') !== page.headers.get('etag')) {
    for (const request of await cache.keys()) await cache.delete(request, { ignoreVary: true });
  }
  await cache.put(PAGE, page);
}
