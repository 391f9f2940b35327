const unkept = new Set<object>();

const ask = (event: BeforeUnloadEvent) => event.preventDefault();

/** Records whether something would be lost with the tab; while there is such a thing, the browser asks before it closes. */
export function setUnkept(what: object, isUnkept: boolean): void {
  if (isUnkept) unkept.add(what);
  else unkept.delete(what);
  // Only then: with a listener, browsers do not keep the page for going back.
  if (unkept.size > 0) addEventListener('beforeunload', ask);
  else removeEventListener('beforeunload', ask);
  if (unkept.size > 0) hold();
  else release?.();
}

const LOCK = 'notevault-unkept';
let release: (() => void) | null = null;

/** Browsers have locks in secure contexts only; in others, none is asked for. */
export const locks = () => (navigator as { readonly locks?: LockManager }).locks;

/** Holds a lock, which other tabs see. */
function hold(): void {
  if (release !== null) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  release = () => {
    release = null;
    resolve();
  };
  void locks()?.request(LOCK, { mode: 'shared' }, () => promise);
}

/** Whether a tab of this browser has edits that are kept nowhere else. */
export async function hasUnkept(): Promise<boolean> {
  return (await locks()?.query())?.held?.some(({ name }) => name === LOCK) ?? unkept.size > 0;
}

let isAsked = false;

/** Asks the browser, once, not to clear what it keeps for the app when it needs space. */
export function persistStorage(): void {
  // There is none in insecure contexts.
  const { storage } = navigator as { readonly storage?: StorageManager };
  if (isAsked || storage === undefined) return;
  isAsked = true;
  void storage.persist().catch(() => undefined);
}
