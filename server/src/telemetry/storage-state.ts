import { BlobError, type Blobs } from '../ports/blobs/blobs.ts';
import { type Database, DatabaseError } from '../ports/database/database.ts';
import { aroundCalls } from './around-calls.ts';

/** How many causes of an error are read; more would be a loop. */
const CAUSES_MAX = 5;

/** Whether an error means that the disk is full, also one that another error reports. */
export function isStorageFull(error: unknown): boolean {
  return isCausedBy(
    error,
    (at) => (at instanceof DatabaseError && at.full) || (at instanceof BlobError && at.code === 'full'),
  );
}

/** Whether an error means that the database is damaged, also one that another error reports. */
export function isDamaged(error: unknown): boolean {
  return isCausedBy(error, (at) => at instanceof DatabaseError && at.damaged);
}

function isCausedBy(error: unknown, isIt: (error: Error) => boolean): boolean {
  let at = error;
  for (let depth = 0; depth < CAUSES_MAX && at instanceof Error; depth++) {
    if (isIt(at)) return true;
    at = at.cause;
  }
  return false;
}

/**
 * Whether the last write found the disk full, of the database or of the store of blobs, and when a call first found the
 * database damaged.
 */
export class StorageState {
  readonly #full = new Set<'database' | 'blobs'>();
  readonly #elapsed: () => number;
  readonly #onDamage: (error: unknown) => void;
  #damagedAt: number | null = null;

  /** @param onDamage called once, with the first error of a damaged database. */
  constructor(elapsed: () => number, onDamage: (error: unknown) => void) {
    this.#elapsed = elapsed;
    this.#onDamage = onDamage;
  }

  get isFull(): boolean {
    return this.#full.size > 0;
  }

  /** For how many milliseconds the database has been known to be damaged; null while no call found it so. */
  get damagedForMs(): number | null {
    return this.#damagedAt === null ? null : this.#elapsed() - this.#damagedAt;
  }

  watchDatabase(db: Database): Database {
    return aroundCalls(db, (call, work) =>
      call === 'transact' ? this.#writing('database', work) : this.#noticing(work),
    );
  }

  watchBlobs(blobs: Blobs): Blobs {
    return {
      put: (key, bytes) => this.#writing('blobs', () => blobs.put(key, bytes)),
      read: (key, range) => this.#noticing(() => blobs.read(key, range)),
      delete: (keys) => blobs.delete(keys),
      list: (vaultId) => blobs.list(vaultId),
      deleteVault: (vaultId) => blobs.deleteVault(vaultId),
      [Symbol.asyncDispose]: () => blobs[Symbol.asyncDispose](),
    };
  }

  async #writing<T>(what: 'database' | 'blobs', write: () => Promise<T>): Promise<T> {
    try {
      const result = await this.#noticing(write);
      this.#full.delete(what);
      return result;
    } catch (error) {
      if (isStorageFull(error)) this.#full.add(what);
      throw error;
    }
  }

  async #noticing<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (this.#damagedAt === null && isDamaged(error)) {
        this.#damagedAt = this.#elapsed();
        this.#onDamage(error);
      }
      throw error;
    }
  }
}
