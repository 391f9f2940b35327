const unkept = new Set<object>();

const ask = (event: BeforeUnloadEvent) => event.preventDefault();

/** Records whether something would be lost with the tab; while there is such a thing, the browser asks before it closes. */
export function setUnkept(what: object, isUnkept: boolean): void {
  if (isUnkept) unkept.add(what);
  else unkept.delete(what);
  // Only then: with a listener, browsers do not keep the page for going back.
  if (unkept.size > 0) addEventListener('beforeunload', ask);
  else removeEventListener('beforeunload', ask);
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
