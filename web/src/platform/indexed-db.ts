/** Resolves to what a request of IndexedDB answers. */
export function result<Value>(request: IDBRequest<Value>): Promise<Value> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

/** Resolves once a transaction is on the device's storage. */
export function completion(transaction: IDBTransaction): Promise<void> {
  return new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve();
    transaction.onerror = () => reject(transaction.error);
    transaction.onabort = () => reject(transaction.error);
  });
}

/** A database of IndexedDB, opened when it is first needed and again after another tab deleted it. */
export class DeviceDatabase {
  readonly #open: () => IDBOpenDBRequest;
  #opened: Promise<IDBDatabase> | null = null;

  /**
   * @param name of the database; its version is 1.
   * @param create makes its stores.
   */
  constructor(factory: IDBFactory, name: string, create: (database: IDBDatabase) => void) {
    this.#open = () => {
      const request = factory.open(name, 1);
      request.onupgradeneeded = () => create(request.result);
      return request;
    };
  }

  /** Begins a transaction with strict durability: confirmed writes are on disk. */
  async transaction(mode: IDBTransactionMode, ...stores: string[]): Promise<IDBTransaction> {
    this.#opened ??= this.#openOnce().catch((error: unknown) => {
      this.#opened = null;
      throw error;
    });
    return (await this.#opened).transaction(stores, mode, { durability: 'strict' });
  }

  async #openOnce(): Promise<IDBDatabase> {
    const database = await result(this.#open());
    const reset = () => {
      database.close();
      this.#opened = null;
    };
    // Another tab signs out, or the browser dropped the connection: the next call opens it again.
    database.onversionchange = reset;
    database.onclose = reset;
    return database;
  }
}
