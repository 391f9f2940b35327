import { completion, DeviceDatabase, result } from '../platform/indexed-db.ts';
import type { ListStore } from './kept-lists.ts';
import { listText } from './list-text.ts';

/** The database of lists; it is deleted when a session ends, however it ends. */
export const LISTS_DATABASE = 'notevault-lists';

interface ListRow {
  readonly account: string;
  readonly key: string;
  /** JSON, in pieces; browsers that kept it before have the list itself. */
  readonly text?: readonly string[];
  readonly list?: unknown;
  /** In milliseconds. */
  readonly writtenAt: number;
}

const LISTS = 'lists';
/** Four for each vault; beyond, those go that were written first. */
const MOST_LISTS = 100;

/** The lists of an account in IndexedDB. Those of another account are as if they were not there. */
export class IndexedDbLists implements ListStore {
  readonly #database: DeviceDatabase;
  readonly #account: () => string | null;

  /** @param account the owner of the lists; null if nobody is signed in. */
  constructor(factory: IDBFactory, account: () => string | null) {
    this.#account = account;
    this.#database = new DeviceDatabase(factory, LISTS_DATABASE, (database) => {
      database.createObjectStore(LISTS, { keyPath: ['account', 'key'] }).createIndex('written', 'writtenAt');
    });
  }

  async read(key: string): Promise<unknown> {
    const account = this.#account();
    if (account === null) return undefined;
    const lists = (await this.#database.transaction('readonly', LISTS)).objectStore(LISTS);
    const row = await result<ListRow | undefined>(lists.get([account, key]));
    return row?.text === undefined ? row?.list : JSON.parse(row.text.join(''));
  }

  async write(key: string, list: unknown): Promise<void> {
    const account = this.#account();
    if (account === null) return;
    const text = await listText(list, pause);
    const transaction = await this.#database.transaction('readwrite', LISTS);
    const done = completion(transaction);
    done.catch(() => undefined);
    const lists = transaction.objectStore(LISTS);
    lists.put({ account, key, text, writtenAt: Date.now() } satisfies ListRow);
    const oldestFirst = (await result(lists.index('written').getAllKeys())) as [account: string, key: string][];
    oldestFirst.forEach((row, at) => {
      if (row[0] !== account || at < oldestFirst.length - MOST_LISTS) lists.delete(row);
    });
    await done;
  }

  async tidy(isWanted: (key: string) => boolean): Promise<void> {
    const account = this.#account();
    const transaction = await this.#database.transaction('readwrite', LISTS);
    const done = completion(transaction);
    done.catch(() => undefined);
    const lists = transaction.objectStore(LISTS);
    for (const row of (await result(lists.getAllKeys())) as [account: string, key: string][]) {
      if (row[0] === account && !isWanted(row[1])) lists.delete(row);
    }
    await done;
  }
}

/** Lets a page that is seen draw and answer; one that is not may end before its next timer. */
async function pause(): Promise<void> {
  if (document.visibilityState === 'visible') await new Promise((resolve) => setTimeout(resolve));
}
