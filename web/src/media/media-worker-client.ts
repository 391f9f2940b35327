import { BASE } from '../platform/base.ts';
import { trustedScriptUrl } from '../platform/trusted-script-url.ts';
import { session } from '../session/app-session.ts';

const SCRIPT = `${BASE}app-worker.js`;
const WAIT_MS = 3_000;

let started: Promise<boolean> | null = null;

session.state.subscribe(() => {
  // Signing out removes the worker.
  if (session.state.get().status === 'out') started = null;
});

/** The page is shown and used before all of the app is loaded in the background. */
const KEEP_ALL_MS = 10_000;

/**
 * Caches the app in the worker for offline use: the files already loaded at once, the others a while later unless the
 * browser saves data.
 */
export async function keepApp(): Promise<void> {
  if (!(await startMediaWorker())) return;
  const loaded = performance.getEntriesByType('resource').map(({ name }) => name);
  navigator.serviceWorker.controller?.postMessage(loaded);
  const { connection } = navigator as { readonly connection?: { readonly saveData?: boolean } };
  if (connection?.saveData === true) return;
  setTimeout(() => navigator.serviceWorker.controller?.postMessage('keep-all'), KEEP_ALL_MS);
}

/** Starts the media worker, once; resolves to whether it answers this page. Without a secure context there is none. */
export function startMediaWorker(): Promise<boolean> {
  started ??= start().catch(() => false);
  return started;
}

async function start(): Promise<boolean> {
  if (!('serviceWorker' in navigator)) return false;
  const { serviceWorker } = navigator;
  serviceWorker.onmessage = ({ data, ports }) => {
    if (data?.type === 'media-token') void giveToken(ports[0], data.refused);
  };
  const registration = await serviceWorker.register(trustedScriptUrl(SCRIPT));
  if (serviceWorker.controller !== null) return true;
  const controlled = new Promise<boolean>((resolve) => {
    serviceWorker.addEventListener('controllerchange', () => resolve(true), { once: true });
    setTimeout(() => resolve(serviceWorker.controller !== null), WAIT_MS);
  });
  registration.active?.postMessage('claim');
  return controlled;
}

/** @param refused the token that the server refused, if one was. */
async function giveToken(port: MessagePort | undefined, refused: unknown): Promise<void> {
  const token = typeof refused === 'string' ? session.refresh(refused) : session.token();
  port?.postMessage(await token.catch(() => null));
}
