import { ApiError, ConnectionError } from '@notevault/client/transport.ts';

/** Where lists are kept on this device, by a text for the key of the query. */
export interface ListStore {
  read(key: string): Promise<unknown>;
  write(key: string, list: unknown): Promise<void>;
  /** Removes the cached lists whose keys a predicate rejects. */
  tidy(isWanted: (key: string) => boolean): Promise<void>;
}

export type ListKey = readonly unknown[];

interface KeptListsOptions {
  readonly store: ListStore;
  /** Whether the server may answer: not while it is known to be away. */
  mayAnswer(): boolean;
}

/** Whether a list is cached for offline use: the account, the vaults, and the lists on each vault's first page. */
export function isKeptList([first, vault, ...rest]: ListKey): boolean {
  if (first === 'me' || first === 'vaults' || first === 'preferences') return vault === undefined;
  return first === 'vault' && KEPT_OF_VAULT.has(rest.join('/'));
}

const KEPT_OF_VAULT: ReadonlySet<string> = new Set(['tree', 'lists/recent', 'lists/tags', 'lists/trash']);
/** Statuses a proxy answers with while the server behind it is down. */
const AWAY: ReadonlySet<number> = new Set([502, 503, 504]);

/** Whether an error says that the server did not answer. */
export function isAway(error: unknown): boolean {
  return error instanceof ConnectionError || (error instanceof ApiError && AWAY.has(error.status));
}

/** The lists of an account as the server answered them last, for while it is away. */
export class KeptLists {
  readonly #options: KeptListsOptions;
  /** Lists that are shown from this device's cache. */
  readonly #shown = new Map<string, ListKey>();

  constructor(options: KeptListsOptions) {
    this.#options = options;
  }

  /**
   * Returns the server's answer, or the cached list if the request fails. Throws the error of `ask` if nothing is
   * cached.
   */
  async answer<List>(key: ListKey, ask: () => Promise<List>): Promise<List> {
    const { store, mayAnswer } = this.#options;
    const name = JSON.stringify(key);
    const kept = () => store.read(name).catch(() => undefined) as Promise<List | undefined>;
    if (!mayAnswer()) {
      const list = await kept();
      if (list !== undefined) return this.#show(name, key, list);
    }
    try {
      const list = await ask();
      this.#shown.delete(name);
      return list;
    } catch (error) {
      const list = isAway(error) ? await kept() : undefined;
      if (list === undefined) throw error;
      return this.#show(name, key, list);
    }
  }

  /** Keeps a list as it is now. One that this device had itself is not newer by being shown. */
  async keep(key: ListKey, list: unknown): Promise<void> {
    const name = JSON.stringify(key);
    // A device that is full shows older lists.
    if (!this.#shown.has(name)) await this.#options.store.write(name, list).catch(() => undefined);
  }

  /** Removes the lists of vaults that the account has no more. */
  async tidy(vaults: ReadonlySet<string>): Promise<void> {
    await this.#options.store.tidy((name) => {
      const [first, vault] = JSON.parse(name) as ListKey;
      return first !== 'vault' || vaults.has(String(vault));
    });
  }

  /** Returns the keys of the lists shown from the cache, to be refetched now that the server answers. */
  takeShown(): readonly ListKey[] {
    const keys = [...this.#shown.values()];
    this.#shown.clear();
    return keys;
  }

  #show<List>(name: string, key: ListKey, list: List): List {
    this.#shown.set(name, key);
    return list;
  }
}
