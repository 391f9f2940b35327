import type { LocalCopy, LocalStore } from './local-store.ts';

/** The database of the copies; signing out deletes it. */
export const LOCAL_DATABASE = 'notevault-notes';

/** A copy: one row for each note and lineage. */
interface CopyRow {
  readonly noteId: string;
  readonly lineage: string;
  readonly unsentBy: readonly string[];
  readonly writtenAt: number;
}

interface UpdateRow {
  readonly noteId: string;
  readonly lineage: string;
  readonly update: Uint8Array;
}

const COPIES = 'copies';
const UPDATES = 'updates';

/** Documents in IndexedDB. Rows of a document are found by the note and its lineage only. */
export class IndexedDbStore implements LocalStore {
  readonly #factory: IDBFactory;
  readonly #now: () => number;
  #database: Promise<IDBDatabase> | null = null;

  constructor(factory: IDBFactory, now: () => number) {
    this.#factory = factory;
    this.#now = now;
  }

  async load(noteId: string): Promise<LocalCopy | null> {
    const { copies, updates, done } = await this.#transaction('readonly');
    const rows = await result<CopyRow[]>(copies.index('note').getAll(noteId));
    const newest = rows.sort((a, b) => b.writtenAt - a.writtenAt)[0];
    if (newest === undefined) return null;
    const found = await result<UpdateRow[]>(updates.index('copy').getAll([noteId, newest.lineage]));
    await done;
    return { lineage: newest.lineage, unsentBy: newest.unsentBy, updates: found.map(({ update }) => update) };
  }

  async append(noteId: string, lineage: string, update: Uint8Array, unsentBy: string | null): Promise<void> {
    const { copies, updates, done } = await this.#transaction('readwrite');
    const copy = await result<CopyRow | undefined>(copies.get([noteId, lineage]));
    const writers = new Set(copy?.unsentBy);
    if (unsentBy !== null) writers.add(unsentBy);
    copies.put({ noteId, lineage, unsentBy: [...writers], writtenAt: this.#now() } satisfies CopyRow);
    updates.add({ noteId, lineage, update } satisfies UpdateRow);
    await done;
  }

  async compact(noteId: string, lineage: string, merge: (updates: readonly Uint8Array[]) => Uint8Array): Promise<void> {
    const { updates, done } = await this.#transaction('readwrite');
    const range = updates.index('copy');
    // Both in one transaction, in which another tab cannot add a row between.
    const [rows, keys] = await Promise.all([
      result<UpdateRow[]>(range.getAll([noteId, lineage])),
      result(range.getAllKeys([noteId, lineage])),
    ]);
    for (const key of keys) updates.delete(key);
    if (rows.length > 0) updates.add({ noteId, lineage, update: merge(rows.map(({ update }) => update)) });
    await done;
  }

  async markSent(noteId: string, lineage: string, writers: readonly string[]): Promise<void> {
    const { copies, done } = await this.#transaction('readwrite');
    const copy = await result<CopyRow | undefined>(copies.get([noteId, lineage]));
    if (copy !== undefined) copies.put({ ...copy, unsentBy: copy.unsentBy.filter((one) => !writers.includes(one)) });
    await done;
  }

  async remove(noteId: string, lineage?: string): Promise<void> {
    const { copies, updates, done } = await this.#transaction('readwrite');
    const rows = await result<CopyRow[]>(copies.index('note').getAll(noteId));
    for (const row of rows.filter((one) => lineage === undefined || one.lineage === lineage)) {
      copies.delete([noteId, row.lineage]);
      for (const key of await result(updates.index('copy').getAllKeys([noteId, row.lineage]))) updates.delete(key);
    }
    await done;
  }

  async unsentNotes(): Promise<readonly string[]> {
    const { copies } = await this.#transaction('readonly');
    const rows = await result<CopyRow[]>(copies.getAll());
    return [...new Set(rows.filter(({ unsentBy }) => unsentBy.length > 0).map(({ noteId }) => noteId))];
  }

  async #transaction(mode: IDBTransactionMode) {
    const database = await this.#open();
    // Strict: the confirmation must mean that the bytes are on the disk, not in a buffer of the system.
    const transaction = database.transaction([COPIES, UPDATES], mode, { durability: 'strict' });
    const done = completion(transaction);
    // A failed request already reports the error of its transaction.
    done.catch(() => undefined);
    return { copies: transaction.objectStore(COPIES), updates: transaction.objectStore(UPDATES), done };
  }

  #open(): Promise<IDBDatabase> {
    this.#database ??= this.#openOnce().catch((error: unknown) => {
      this.#database = null;
      throw error;
    });
    return this.#database;
  }

  async #openOnce(): Promise<IDBDatabase> {
    const request = this.#factory.open(LOCAL_DATABASE, 1);
    request.onupgradeneeded = () => {
      const copies = request.result.createObjectStore(COPIES, { keyPath: ['noteId', 'lineage'] });
      copies.createIndex('note', 'noteId');
      const updates = request.result.createObjectStore(UPDATES, { autoIncrement: true });
      updates.createIndex('copy', ['noteId', 'lineage']);
    };
    const database = await result(request);
    const reset = () => {
      database.close();
      this.#database = null;
    };
    // Another tab signs out, or the browser dropped the connection: the next call opens it again.
    database.onversionchange = reset;
    database.onclose = reset;
    return database;
  }
}

function result<Value>(request: IDBRequest<Value>): Promise<Value> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

function completion(transaction: IDBTransaction): Promise<void> {
  return new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve();
    transaction.onerror = () => reject(transaction.error);
    transaction.onabort = () => reject(transaction.error);
  });
}
