import type { Page } from '@playwright/test';

/** Reads the rows of an IndexedDB store; none if there is no such database. */
export function rowsOf<Row>(page: Page, database: string, store: string): Promise<Row[]> {
  return page.evaluate<Row[]>(`(async () => {
    if (!(await indexedDB.databases()).some(({ name }) => name === '${database}')) return [];
    const { promise, resolve } = Promise.withResolvers();
    const opening = indexedDB.open('${database}');
    opening.onsuccess = () => {
      const all = opening.result.transaction('${store}').objectStore('${store}').getAll();
      all.onsuccess = () => {
        opening.result.close();
        resolve(all.result);
      };
    };
    return promise;
  })()`);
}

/** Returns the names of stored lists, without their vault. */
export async function keptLists(page: Page): Promise<string[]> {
  const rows = await rowsOf<{ readonly key: string }>(page, 'notevault-lists', 'lists');
  return rows
    .map(({ key }) => (JSON.parse(key) as string[]).slice(key.startsWith('["vault"') ? 2 : 0).join('/'))
    .sort();
}

/** Resolves when the app's worker answers the page, and has the page itself. */
export function hasWorker(page: Page): Promise<boolean> {
  return hasWorkerAt(page, '/');
}

/** @param root the path of the app, which ends in a slash. */
export async function hasWorkerAt(page: Page, root: string): Promise<boolean> {
  return page.evaluate<boolean>(`navigator.serviceWorker.controller !== null &&
    caches.match('${root}index.html', { ignoreVary: true }).then((page) => page !== undefined)`);
}
