import type { StateChange, StateStore, StoredState } from '@notevault/sync/engine/ports.ts';

const TABLES = ['synced', 'folders', 'remote', 'hashes', 'refused', 'intents', 'texts', 'values'] as const;
type Table = (typeof TABLES)[number];
const ROWS_AT_ONCE = 200;
const READ_AT_ONCE = 1000;

/** Settled by the end of a transaction, so that nothing counts as stored before it is. */
function ended(transaction: IDBTransaction): Promise<void> {
  return new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve();
    transaction.onerror = () => reject(transaction.error ?? new Error('the state could not be stored'));
    transaction.onabort = () => reject(transaction.error ?? new Error('the state could not be stored'));
  });
}

function answer<Value>(request: IDBRequest<Value>): Promise<Value> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error ?? new Error('the state could not be read'));
  });
}

const nameOf = (folderId: string) => `notevault-sync-${folderId}`;

/** Sync state of a vault on this device, in IndexedDB. */
export class IdbStore implements StateStore {
  readonly #db: IDBDatabase;

  private constructor(db: IDBDatabase) {
    this.#db = db;
  }

  static async open(factory: IDBFactory, folderId: string): Promise<IdbStore> {
    const request = factory.open(nameOf(folderId), 1);
    request.onupgradeneeded = () => {
      for (const table of TABLES) request.result.createObjectStore(table);
    };
    const store = new IdbStore(await answer(request));
    // Another window of the app may remove it.
    store.#db.onversionchange = () => store.close();
    return store;
  }

  static async remove(factory: IDBFactory, folderId: string): Promise<void> {
    await answer(factory.deleteDatabase(nameOf(folderId)));
  }

  close(): void {
    this.#db.close();
  }

  /** Returns whether no file was ever synced. */
  async isEmpty(): Promise<boolean> {
    const transaction = this.#db.transaction(['synced', 'values'], 'readonly');
    const cursor: unknown = await answer(transaction.objectStore('values').get('cursor'));
    return cursor === undefined && (await answer(transaction.objectStore('synced').count())) === 0;
  }

  /** Reads the state, and removes the texts that no file and no request refers to. */
  async load(): Promise<StoredState> {
    const transaction = this.#db.transaction(TABLES, 'readwrite');
    const [state] = await Promise.all([readState(transaction), ended(transaction)]);
    return state;
  }

  /** Returns this store with an already loaded state, because loading 30,000 files takes a while. */
  with(state: StoredState): StateStore {
    return {
      load: async () => state,
      commit: (changes) => this.commit(changes),
      baseText: (hash) => this.baseText(hash),
    };
  }

  async commit(changes: readonly StateChange[]): Promise<void> {
    const transaction = this.#db.transaction(TABLES, 'readwrite');
    await Promise.all([ended(transaction), write(transaction, changes)]);
  }

  async baseText(hash: string): Promise<string | null> {
    const text: unknown = await answer(this.#db.transaction('texts', 'readonly').objectStore('texts').get(hash));
    return typeof text === 'string' ? text : null;
  }
}

async function readState(transaction: IDBTransaction): Promise<StoredState> {
  const rows = <Row>(table: Table) => readAll<Row>(transaction.objectStore(table));
  const synced = await rows<StoredState['synced'][number]>('synced');
  const intents = await rows<StoredState['intents'][number]>('intents');
  await forgetTexts(transaction.objectStore('texts'), { synced, intents });
  const value = (name: string): Promise<unknown> => answer(transaction.objectStore('values').get(name));
  const remoteFolders = (await value('remoteFolders')) as { paths: string[]; seq: number | null } | undefined;
  return {
    ...{ synced, intents },
    folders: await rows<string>('folders'),
    remote: await rows<StoredState['remote'][number]>('remote'),
    hashes: await rows<StoredState['hashes'][number]>('hashes'),
    refused: await rows<StoredState['refused'][number]>('refused'),
    cursor: ((await value('cursor')) as string | undefined) ?? null,
    isReadOnly: (await value('isReadOnly')) === true,
    deletions: ((await value('deletions')) as StoredState['deletions'] | undefined) ?? [],
    remoteFolders: remoteFolders?.paths ?? [],
    remoteFoldersSeq: remoteFolders?.seq ?? null,
  };
}

/** Reads all rows, some at a time: those of 30,000 files at once would keep the app waiting for a fifth of a second. */
async function readAll<Row>(store: IDBObjectStore): Promise<Row[]> {
  const rows: Row[] = [];
  for await (const { after } of pages(store))
    for (const row of await answer(store.getAll(after, READ_AT_ONCE) as IDBRequest<Row[]>)) rows.push(row);
  return rows;
}

/** Returns the keys of a store some at a time, with where each part begins. */
async function* pages(store: IDBObjectStore): AsyncIterable<{ after: IDBKeyRange | null; keys: IDBValidKey[] }> {
  for (let after: IDBKeyRange | null = null; ; ) {
    const keys: IDBValidKey[] = await answer(store.getAllKeys(after, READ_AT_ONCE));
    yield { after, keys };
    if (keys.length < READ_AT_ONCE) return;
    after = window.IDBKeyRange.lowerBound(keys.at(-1), true);
  }
}

async function forgetTexts(
  texts: IDBObjectStore,
  { synced, intents }: Pick<StoredState, 'synced' | 'intents'>,
): Promise<void> {
  const wanted = new Set<string>();
  for (const { hash, pushed } of synced) {
    wanted.add(hash);
    if (pushed !== null) wanted.add(pushed);
  }
  for (const intent of intents) {
    if ('hash' in intent) wanted.add(intent.hash);
    if ('sent' in intent) wanted.add(intent.sent);
  }
  for (const hash of await answer(texts.getAllKeys() as IDBRequest<string[]>))
    if (!wanted.has(hash)) texts.delete(hash);
}

/** Writes changes in small groups, so that a request is always pending: a transaction without one ends. */
async function write(transaction: IDBTransaction, changes: readonly StateChange[]): Promise<void> {
  for (const [at, change] of changes.entries()) {
    const { table, key, value } = rowOf(change);
    const store = transaction.objectStore(table);
    const request: IDBRequest = value === undefined ? store.delete(key) : store.put(value, key);
    if (at % ROWS_AT_ONCE === ROWS_AT_ONCE - 1) await answer(request);
  }
}

/** Returns the row that a change writes; without a value it is removed. */
function rowOf(change: StateChange): { readonly table: Table; readonly key: string; readonly value?: unknown } {
  switch (change.type) {
    case 'synced':
      return { table: 'synced', key: change.file.id, value: change.file };
    case 'unsynced':
      return { table: 'synced', key: change.id };
    case 'folder':
      return { table: 'folders', key: change.path, ...(change.isSynced && { value: change.path }) };
    case 'remote':
      return { table: 'remote', key: change.file.id, value: change.file };
    case 'remoteGone':
      return { table: 'remote', key: change.id };
    case 'remoteFolders':
      return { table: 'values', key: 'remoteFolders', value: { paths: change.paths, seq: change.seq } };
    case 'cursor':
      return { table: 'values', key: 'cursor', ...(change.cursor !== null && { value: change.cursor }) };
    case 'access':
      return { table: 'values', key: 'isReadOnly', value: change.isReadOnly };
    case 'hash':
      return { table: 'hashes', key: change.file.path, value: { ...change.file, hash: change.hash } };
    case 'hashGone':
      return { table: 'hashes', key: change.path };
    case 'refused':
      return { table: 'refused', key: change.refusal.key, value: change.refusal };
    case 'retried':
      return { table: 'refused', key: change.key };
    case 'intent':
      return { table: 'intents', key: change.key, value: change.intent };
    case 'settled':
      return { table: 'intents', key: change.key };
    case 'deletions':
      return { table: 'values', key: 'deletions', value: change.deletions };
    case 'baseText':
      return { table: 'texts', key: change.hash, value: change.text };
  }
}
