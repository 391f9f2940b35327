import { keptFile } from './kept-file.ts';
import { headersFor, type MediaRequest, mediaRequestOf } from './media-request.ts';
import { AWAY, allFiles, forgetShell, isWithdrawn, keepFiles, shellFile, shellPage } from './shell.ts';
import { shellRequestOf } from './shell-request.ts';

// The one worker of the app has two jobs. It keeps the app itself, so that this opens while the server is away: see
// shell.ts. And it answers requests of elements for attachments: it adds the token that elements cannot send, so that
// pictures, sound and films are loaded in parts, as they are played. It asks a page for the token each time and keeps
// neither that nor any answer. Files that are kept on request are put into a cache by pages, which goes with the session:
// they are its answers while the server is away.

interface WorkerClient {
  readonly id: string;
  postMessage(message: unknown, transfer: Transferable[]): void;
}

interface FetchEvent extends Event {
  readonly request: Request;
  readonly clientId: string;
  waitUntil(work: Promise<unknown>): void;
  respondWith(answer: Promise<Response>): void;
}

interface Lifetime extends Event {
  waitUntil(work: Promise<unknown>): void;
}

/** Part of the service worker's scope that is used; its type library cannot be loaded beside that of pages. */
declare const self: {
  readonly location: Location;
  readonly navigator: { readonly onLine: boolean };
  readonly clients: {
    claim(): Promise<void>;
    matchAll(options: { type: 'window' }): Promise<readonly WorkerClient[]>;
  };
  readonly registration: { unregister(): Promise<boolean> };
  skipWaiting(): Promise<void>;
  addEventListener(type: 'install' | 'activate', listener: (event: Lifetime) => void): void;
  addEventListener(type: 'message', listener: (event: Lifetime & { readonly data: unknown }) => void): void;
  addEventListener(type: 'fetch', listener: (event: FetchEvent) => void): void;
};

const ANSWER_MS = 5_000;
/** The address of the app: the folder of this worker. */
const ROOT = new URL('.', self.location.href).href;
let isEnding = false;

self.addEventListener('install', (event) => event.waitUntil(self.skipWaiting()));
self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()));
// After a reload that passes workers by, a page asks to be answered again.
self.addEventListener('message', (event) => {
  if (event.data === 'claim') event.waitUntil(self.clients.claim());
  else if (event.data === 'keep-all') event.waitUntil(allFiles().then((files) => keepFiles(filesOf(files))));
  else if (Array.isArray(event.data)) event.waitUntil(keepFiles(filesOf(event.data)));
});
self.addEventListener('fetch', (event) => {
  const { request } = event;
  const asked = mediaRequestOf(request, ROOT);
  if (asked !== null) return event.respondWith(answer(asked, event));
  const part = isEnding ? null : shellRequestOf(request, ROOT);
  if (part === 'file') event.respondWith(shellFile(request));
  if (part !== 'page') return;
  event.respondWith(shellPage(request, (work) => event.waitUntil(work)));
  event.waitUntil(endIfWithdrawn());
});

/**
 * Removes this worker where the server has it no more: after the app was downgraded, or because an operator turned it
 * off. Browsers by themselves keep a worker whose file is gone.
 */
async function endIfWithdrawn(): Promise<void> {
  if (!(await isWithdrawn(self.location.href))) return;
  // It still answers the pages that it has until they are left.
  isEnding = true;
  await forgetShell();
  await self.registration.unregister();
}

/** The addresses of files of the app among others. */
function filesOf(addresses: readonly unknown[]): readonly string[] {
  return addresses
    .filter((address) => typeof address === 'string')
    .map((address) => new URL(address, ROOT).href)
    .filter((url) => shellRequestOf({ url, method: 'GET', mode: 'cors' }, ROOT) === 'file');
}

/** A file from the server, else as this device has it. */
async function answer(asked: MediaRequest, event: FetchEvent): Promise<Response> {
  const kept = () => keptFile(event.request).catch(() => null);
  const known = self.navigator.onLine ? null : await kept();
  if (known !== null) return known;
  try {
    const answered = await answerOfServer(asked, event);
    return answered.status === 401 || AWAY.has(answered.status) ? ((await kept()) ?? answered) : answered;
  } catch (error) {
    const file = await kept();
    if (file === null) throw error;
    return file;
  }
}

async function answerOfServer(asked: MediaRequest, { request, clientId }: FetchEvent): Promise<Response> {
  const send = (token: string) =>
    fetch(`.${asked.path}`, { headers: headersFor(asked, token, request.headers), signal: request.signal });
  const token = await tokenFrom(clientId, null);
  if (token === null) return new Response(null, { status: 401 });
  const first = await send(token);
  if (first.status !== 401) return first;
  const next = await tokenFrom(clientId, token);
  return next === null ? first : send(next);
}

/** A token of the session, from the page that loads the file or else from another one; null if none has one. */
async function tokenFrom(clientId: string, refused: string | null): Promise<string | null> {
  const pages = [...(await self.clients.matchAll({ type: 'window' }))];
  pages.sort((a, b) => Number(b.id === clientId) - Number(a.id === clientId));
  for (const page of pages) {
    const token = await ask(page, refused);
    if (token !== null) return token;
  }
  return null;
}

function ask(page: WorkerClient, refused: string | null): Promise<string | null> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    const end = (token: string | null) => {
      clearTimeout(timer);
      port1.close();
      resolve(token);
    };
    const timer = setTimeout(() => end(null), ANSWER_MS);
    port1.onmessage = ({ data }) => end(typeof data === 'string' ? data : null);
    page.postMessage({ type: 'media-token', refused }, [port2]);
  });
}
