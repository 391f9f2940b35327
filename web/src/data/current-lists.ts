import type { QueryClient } from '@tanstack/react-query';
import { session } from '../session/app-session.ts';
import { keptAccount } from '../session/kept-account.ts';
import { isKeptList, KeptLists, type ListKey } from './kept-lists.ts';
import { IndexedDbLists } from './list-store.ts';

export { isKeptList };

/** While somebody types, lists change all the time. */
const KEEP_MS = 2_000;

let opened: KeptLists | null = null;

/** The lists that this browser opens while the server is away. */
export function keptLists(): KeptLists {
  opened ??= new KeptLists({
    store: typeof indexedDB === 'undefined' ? NOWHERE : new IndexedDbLists(indexedDB, keptAccount),
    mayAnswer: () => session.state.get().status === 'in',
  });
  return opened;
}

const NOWHERE = { read: async () => undefined, write: async () => undefined, tidy: async () => undefined };

/** Keeps lists as they change, until the signal aborts. */
export function keepLists(queries: QueryClient, ended: AbortSignal): void {
  const changed = new Map<string, ListKey>();
  const keepChanged = () => {
    for (const key of changed.values()) {
      const list = queries.getQueryData(key);
      if (list !== undefined) void keptLists().keep(key, list);
    }
    changed.clear();
  };
  const note = (key: ListKey) => {
    if (isKeptList(key)) changed.set(JSON.stringify(key), key);
  };
  for (const { queryKey } of queries.getQueryCache().getAll()) note(queryKey);
  const timer = setInterval(keepChanged, KEEP_MS);
  const endEvents = queries.getQueryCache().subscribe((event) => {
    if (event.type === 'updated' && event.action.type === 'success') note(event.query.queryKey);
  });
  document.addEventListener('visibilitychange', keepChanged);
  ended.addEventListener('abort', () => {
    clearInterval(timer);
    endEvents();
    document.removeEventListener('visibilitychange', keepChanged);
  });
}

/** Refetches the lists that were shown from this device's cache. */
export function readShownAgain(queries: QueryClient): void {
  for (const queryKey of keptLists().takeShown()) void queries.invalidateQueries({ queryKey, exact: true });
}
