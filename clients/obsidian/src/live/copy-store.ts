/** A text that came by the file and is not in the document yet. */
export interface ForeignText {
  /** Text that it was derived from. */
  readonly base: string;
  readonly text: string;
  /** The write that may have reached the server: it is repeated as it was, and then counts once. */
  readonly sent: { readonly path: string; readonly content: string; readonly version: number } | null;
}

/** Local copy of a note with edits that the server has not acknowledged. */
export interface NoteCopy {
  readonly id: string;
  readonly path: string;
  /** Text of the file when it was last read or written. */
  readonly onDisk: string;
  readonly foreign: readonly ForeignText[];
  /** The document, and each change of it since, in order. */
  readonly updates: readonly Uint8Array[];
}

type Row = Omit<NoteCopy, 'updates'>;

const NOTES = 'notes';
const UPDATES = 'updates';

/** Returns the name of the database with the unsent edits of a device. */
export function copiesOf(deviceId: string): string {
  return `notevault-live-${deviceId}`;
}

/** Documents with unsent edits in IndexedDB, so that the end of the app loses no letter. */
export class CopyStore {
  readonly #opened: Promise<IDBDatabase>;

  /** @param name of the database: one for each vault on this device. */
  constructor(factory: IDBFactory, name: string) {
    this.#opened = new Promise((resolve, reject) => {
      const request = factory.open(name, 1);
      request.onupgradeneeded = () => {
        request.result.createObjectStore(NOTES, { keyPath: 'id' });
        request.result.createObjectStore(UPDATES, { autoIncrement: true }).createIndex('id', 'id');
      };
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error ?? new Error('no database'));
    });
    this.#opened.catch(() => undefined);
  }

  /** Removes a database, once nobody uses it any more. */
  static async remove(factory: IDBFactory, name: string): Promise<void> {
    await result(factory.deleteDatabase(name));
  }

  async ids(): Promise<readonly string[]> {
    const { notes } = await this.#stores('readonly');
    return (await result(notes.getAllKeys())).map(String);
  }

  async load(id: string): Promise<NoteCopy | null> {
    const { notes, updates } = await this.#stores('readonly');
    const [row, found] = await Promise.all([
      result(notes.get(id) as IDBRequest<Row | undefined>),
      result(updates.index('id').getAll(id) as IDBRequest<{ update: Uint8Array }[]>),
    ]);
    return row === undefined ? null : { ...row, updates: found.map(({ update }) => update) };
  }

  /** Begins a copy, in the place of an older one. */
  begin(row: Row, snapshot: Uint8Array): Promise<void> {
    return this.#write(async ({ notes, updates }) => {
      await removeAll(updates, row.id);
      notes.put(row);
      updates.add({ id: row.id, update: snapshot });
    });
  }

  /** Adds a change of the document, and in one with it what is known beside it. */
  append(id: string, update: Uint8Array, changed: Partial<Row> | null = null): Promise<void> {
    return this.#write(async ({ notes, updates }) => {
      updates.add({ id, update });
      if (changed !== null) await put(notes, id, changed);
    });
  }

  /** Changes what is known beside the document; nothing without a copy. */
  change(id: string, changed: Partial<Row>): Promise<void> {
    return this.#write(({ notes }) => put(notes, id, changed));
  }

  remove(id: string): Promise<void> {
    return this.#write(async ({ notes, updates }) => {
      notes.delete(id);
      await removeAll(updates, id);
    });
  }

  close(): void {
    this.#opened.then(
      (database) => database.close(),
      () => undefined,
    );
  }

  async #stores(mode: IDBTransactionMode) {
    const transaction = (await this.#opened).transaction([NOTES, UPDATES], mode);
    return { transaction, notes: transaction.objectStore(NOTES), updates: transaction.objectStore(UPDATES) };
  }

  /** Resolves when all that the function asks for is kept: until then, the end of the app would undo it. */
  async #write(work: (stores: { notes: IDBObjectStore; updates: IDBObjectStore }) => Promise<void>): Promise<void> {
    const { transaction, ...stores } = await this.#stores('readwrite');
    const kept = new Promise<void>((resolve, reject) => {
      transaction.oncomplete = () => resolve();
      transaction.onabort = () => reject(transaction.error ?? new Error('the database refused'));
    });
    await Promise.all([kept, work(stores)]);
  }
}

async function removeAll(updates: IDBObjectStore, id: string): Promise<void> {
  for (const key of await result(updates.index('id').getAllKeys(id))) updates.delete(key);
}

async function put(notes: IDBObjectStore, id: string, changed: Partial<Row>): Promise<void> {
  const row = await result(notes.get(id) as IDBRequest<Row | undefined>);
  if (row !== undefined) notes.put({ ...row, ...changed });
}

function result<Value>(request: IDBRequest<Value>): Promise<Value> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error ?? new Error('the database refused'));
  });
}
