import type { StateChange, StateStore, StoredState } from '@notevault/sync/engine/ports.ts';

const TABLES = ['synced', 'folders', 'remote', 'hashes', 'refused', 'intents', 'texts', 'values'] as const;
type Table = (typeof TABLES)[number];
const ROWS_AT_ONCE = 200;

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

/** What this device remembers of a vault, in IndexedDB. */
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

  /** Whether anything was ever agreed on. */
  async isEmpty(): Promise<boolean> {
    const transaction = this.#db.transaction(['synced', 'values'], 'readonly');
    const cursor: unknown = await answer(transaction.objectStore('values').get('cursor'));
    return cursor === undefined && (await answer(transaction.objectStore('synced').count())) === 0;
  }

  async load(): Promise<StoredState> {
    await this.#forgetTexts();
    const transaction = this.#db.transaction(TABLES, 'readonly');
    const all = <Value>(table: Table): Promise<Value[]> =>
      answer(transaction.objectStore(table).getAll() as IDBRequest<Value[]>);
    const value = (name: string): Promise<unknown> => answer(transaction.objectStore('values').get(name));
    const [synced, folders, remote, hashes, refused, intents] = await Promise.all([
      all<StoredState['synced'][number]>('synced'),
      all<string>('folders'),
      all<StoredState['remote'][number]>('remote'),
      all<StoredState['hashes'][number]>('hashes'),
      all<StoredState['refused'][number]>('refused'),
      all<StoredState['intents'][number]>('intents'),
    ]);
    const [cursor, isReadOnly, deletions, given] = await Promise.all(
      ['cursor', 'isReadOnly', 'deletions', 'remoteFolders'].map(value),
    );
    const remoteFolders = (given ?? { paths: [], seq: null }) as { paths: string[]; seq: number | null };
    return {
      ...{ synced, folders, remote, hashes, refused, intents },
      cursor: (cursor as string | undefined) ?? null,
      isReadOnly: isReadOnly === true,
      deletions: (deletions as StoredState['deletions'] | undefined) ?? [],
      remoteFolders: remoteFolders.paths,
      remoteFoldersSeq: remoteFolders.seq,
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

  /** Removes the texts that no file and no request refers to. */
  async #forgetTexts(): Promise<void> {
    const transaction = this.#db.transaction(['synced', 'intents', 'texts'], 'readwrite');
    const done = ended(transaction);
    const [synced, intents, hashes] = await Promise.all([
      answer(transaction.objectStore('synced').getAll() as IDBRequest<StoredState['synced'][number][]>),
      answer(transaction.objectStore('intents').getAll() as IDBRequest<StoredState['intents'][number][]>),
      answer(transaction.objectStore('texts').getAllKeys() as IDBRequest<string[]>),
    ]);
    const wanted = new Set<string>();
    for (const { hash, pushed } of synced) {
      wanted.add(hash);
      if (pushed !== null) wanted.add(pushed);
    }
    for (const intent of intents) {
      if ('hash' in intent) wanted.add(intent.hash);
      if ('sent' in intent) wanted.add(intent.sent);
    }
    for (const hash of hashes) if (!wanted.has(hash)) transaction.objectStore('texts').delete(hash);
    await done;
  }
}

/** Writes some rows at a time: a transaction lives on as long as one of its requests is under way. */
async function write(transaction: IDBTransaction, changes: readonly StateChange[]): Promise<void> {
  for (const [at, change] of changes.entries()) {
    const { table, key, value } = rowOf(change);
    const store = transaction.objectStore(table);
    const request: IDBRequest = value === undefined ? store.delete(key) : store.put(value, key);
    if (at % ROWS_AT_ONCE === ROWS_AT_ONCE - 1) await answer(request);
  }
}

/** The row that a change writes; without a value it is removed. */
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
