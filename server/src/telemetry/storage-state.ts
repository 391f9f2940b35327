import { BlobError, type Blobs } from '../ports/blobs/blobs.ts';
import { type Database, DatabaseError } from '../ports/database/database.ts';
import { aroundCalls } from './around-calls.ts';

/** How many causes of an error are read; more would be a loop. */
const CAUSES_MAX = 5;

/** Whether an error means that the disk is full, also one that another error reports. */
export function isStorageFull(error: unknown): boolean {
  let at = error;
  for (let depth = 0; depth < CAUSES_MAX && at instanceof Error; depth++) {
    if (at instanceof DatabaseError && at.full) return true;
    if (at instanceof BlobError && at.code === 'full') return true;
    at = at.cause;
  }
  return false;
}

/** Whether the last write found the disk full: of the database, or of the store of blobs. */
export class StorageState {
  readonly #full = new Set<'database' | 'blobs'>();

  get isFull(): boolean {
    return this.#full.size > 0;
  }

  watchDatabase(db: Database): Database {
    return aroundCalls(db, (call, work) => (call === 'transact' ? this.#observe('database', work) : work()));
  }

  watchBlobs(blobs: Blobs): Blobs {
    return {
      put: (key, bytes) => this.#observe('blobs', () => blobs.put(key, bytes)),
      read: (key, range) => blobs.read(key, range),
      delete: (keys) => blobs.delete(keys),
      list: (vaultId) => blobs.list(vaultId),
      deleteVault: (vaultId) => blobs.deleteVault(vaultId),
      [Symbol.asyncDispose]: () => blobs[Symbol.asyncDispose](),
    };
  }

  async #observe<T>(what: 'database' | 'blobs', write: () => Promise<T>): Promise<T> {
    try {
      const result = await write();
      this.#full.delete(what);
      return result;
    } catch (error) {
      if (isStorageFull(error)) this.#full.add(what);
      throw error;
    }
  }
}
