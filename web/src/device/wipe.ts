import { KEPT_DATABASE, KEPT_FILES } from '../data/kept-names.ts';
import { LISTS_DATABASE } from '../data/list-store.ts';
import { STORED_INVITATION } from '../page/invitation.ts';
import { isStoredByUs, serverUrl } from '../platform/base.ts';
import { forgetAccount } from '../session/kept-account.ts';

/** Storage keys that belong to the browser, not to an account. */
export const BROWSERS_OWN = new Set([
  'notevault-theme',
  'notevault-language',
  'notevault-sidebar',
  'notevault-device',
  STORED_INVITATION,
]);

/**
 * Removes all copies of notes and everything else that this browser keeps of an account. What another account could not
 * send yet stays, until that signs in again.
 */
export async function wipeBrowser(account: string | undefined): Promise<void> {
  const isEmpty = account === undefined || (await clearCopies(account));
  clearStorage();
  await Promise.allSettled([isEmpty ? wipeDatabases() : forgetLists(), wipeCaches(), endWorkers()]);
}

/**
 * Removes the copies of notes of a session that the server ended. What could not be sent yet stays until its account
 * signs in again, at most thirty days.
 */
export async function wipeCopies(): Promise<void> {
  const { deviceStore } = await import('./device-store.ts');
  clearStorage();
  const outbox = await openedOutbox('');
  const locked = [deviceStore('').lock(), outbox?.lock(Date.now())];
  await Promise.allSettled([...locked, forgetLists(), wipeCaches(), endWorkers()]);
}

/** Removes the account's cached lists and kept vaults; after that, nothing of it opens offline. */
export async function forgetLists(): Promise<void> {
  forgetAccount();
  if ('caches' in globalThis) await caches.delete(KEPT_FILES).catch(() => undefined);
  if (typeof indexedDB === 'undefined') return;
  await Promise.all([LISTS_DATABASE, KEPT_DATABASE].map(deleteDatabase));
}

function clearStorage(): void {
  for (const storage of [localStorage, sessionStorage]) {
    for (const name of Object.keys(storage))
      if (!BROWSERS_OWN.has(name) && isStoredByUs(name)) storage.removeItem(name);
  }
}

/** Removes the copies of an account; returns whether no other has any. */
async function clearCopies(account: string): Promise<boolean> {
  const [{ deviceStore }, { setUnkept }] = await Promise.all([import('./device-store.ts'), import('./unkept.ts')]);
  const store = deviceStore(account);
  setUnkept(store, false);
  const outbox = await openedOutbox(account);
  await outbox?.change(() => []).catch(() => undefined);
  const left = await Promise.all([store.clear().then((isEmpty) => !isEmpty), outbox?.hasOthers()]).catch(
    (): boolean[] => [],
  );
  return !left.includes(true);
}

/** Opens the account's outbox in this browser; null without IndexedDB. */
export async function openedOutbox(account: string) {
  if (typeof indexedDB === 'undefined') return null;
  const { IndexedDbOutbox } = await import('./outbox/indexed-db-outbox.ts');
  return new IndexedDbOutbox(indexedDB, account);
}

async function wipeDatabases(): Promise<void> {
  const databases = await indexedDB.databases();
  await Promise.all(databases.map(({ name = '' }) => (isStoredByUs(name) ? deleteDatabase(name) : undefined)));
}

/** Resolves also when another tab has it open: that tab closes it as soon as it hears of the end of the session. */
function deleteDatabase(name: string): Promise<void> {
  return new Promise((resolve) => {
    const request = indexedDB.deleteDatabase(name);
    request.onsuccess = request.onerror = request.onblocked = () => resolve();
  });
}

async function wipeCaches(): Promise<void> {
  // Browsers have neither of these in insecure contexts.
  if (!('caches' in globalThis)) return;
  for (const name of await caches.keys()) if (isStoredByUs(name)) await caches.delete(name);
}

async function endWorkers(): Promise<void> {
  if (!('serviceWorker' in navigator)) return;
  for (const worker of await navigator.serviceWorker.getRegistrations()) {
    if (worker.scope.startsWith(`${serverUrl()}/`)) await worker.unregister();
  }
}
