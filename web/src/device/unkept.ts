const unkept = new Set<object>();

/** How long nothing must be unkept before that is told to the browser: each time takes longer than a key may. */
const RELEASE_MS = 1000;
let releasing: ReturnType<typeof setTimeout> | undefined;

const ask = (event: BeforeUnloadEvent) => {
  if (unkept.size > 0) event.preventDefault();
};

/** Records whether something would be lost with the tab; while there is such a thing, the browser asks before it closes. */
export function setUnkept(what: object, isUnkept: boolean): void {
  if (isUnkept) unkept.add(what);
  else unkept.delete(what);
  clearTimeout(releasing);
  if (unkept.size > 0) hold();
  else if (release !== null) releasing = setTimeout(release, RELEASE_MS);
}

const LOCK = 'notevault-unkept';
/** Name of this tab's lock, which may be held longer than there are unsent edits. */
const OWN_LOCK = `${LOCK} ${Math.random()}`;
let release: (() => void) | null = null;

/** Browsers have locks in secure contexts only; in others, none is asked for. */
export const locks = () => (navigator as { readonly locks?: LockManager }).locks;

/** Holds a lock, which other tabs see, and listens. Only then: with a listener, browsers keep no page for going back. */
function hold(): void {
  if (release !== null) return;
  addEventListener('beforeunload', ask);
  const { promise, resolve } = Promise.withResolvers<void>();
  release = () => {
    release = null;
    removeEventListener('beforeunload', ask);
    resolve();
  };
  void locks()?.request(OWN_LOCK, () => promise);
}

/** Whether a tab of this browser has edits that are kept nowhere else. */
export async function hasUnkept(): Promise<boolean> {
  if (unkept.size > 0) return true;
  const { held = [] } = (await locks()?.query()) ?? {};
  return held.some(({ name }) => name !== OWN_LOCK && name?.startsWith(LOCK));
}

let isAsked = false;

/** Asks the browser once for persistent storage. */
export function persistStorage(): void {
  // There is none in insecure contexts.
  const { storage } = navigator as { readonly storage?: StorageManager };
  if (isAsked || storage === undefined) return;
  isAsked = true;
  void storage.persist().catch(() => undefined);
}
