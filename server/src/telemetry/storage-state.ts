import { mayUseReserve } from '../concurrency/tenant.ts';
import { BlobError, type Blobs } from '../ports/blobs/blobs.ts';
import { type Database, DatabaseError, type WriteHandle } from '../ports/database/database.ts';
import { aroundCalls } from './around-calls.ts';

/** Maximum causes of an error that are read; more would be a loop. */
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

/** A handle that calls `changed` after each write that changed rows. */
function noting(handle: WriteHandle, changed: () => void): WriteHandle {
  const note = async (writing: Promise<number>) => {
    const rows = await writing;
    if (rows > 0) changed();
    return rows;
  };
  return {
    get: (statement, params) => handle.get(statement, params),
    all: (statement, params) => handle.all(statement, params),
    allMany: (statement, params, items) => handle.allMany(statement, params, items),
    run: (statement, params) => note(handle.run(statement, params)),
    runMany: (statement, params, items) => note(handle.runMany(statement, params, items)),
    onCommit: (effect) => handle.onCommit(effect),
  };
}

/** Room that is kept on the disk of the data folder. */
export interface DiskReserve {
  readonly isFull: boolean;
  /** Takes the room again. Resolves to whether the disk has room for ordinary writes. */
  take(): Promise<boolean>;
  /** Gives the room back, unless that was done before. */
  release(): Promise<void>;
}

/** Interval in milliseconds between checks of a full disk. */
const CHECK_MS = 1000;

interface StorageStateOptions {
  readonly elapsed: () => number;
  /** Called once, with the first error of a damaged database. */
  readonly onDamage: (error: unknown) => void;
  /** Called each time the disk becomes full. */
  readonly onFull?: () => void;
  /** The reserve of disk space; without one, each write tries a full disk again. */
  readonly reserve?: DiskReserve | null;
}

/**
 * Tracks whether the disk of the database or of the blobs is full, and how long the database has been known to be
 * damaged. While the disk is full, only work that may use the reserve writes (`runOnReserve`); all else is refused
 * until the reserve could be taken again, or would use it up.
 */
export class StorageState {
  readonly #full = new Set<'database' | 'blobs'>();
  readonly #elapsed: () => number;
  readonly #onDamage: (error: unknown) => void;
  readonly #onFull: () => void;
  readonly #reserve: DiskReserve | null;
  #damagedAt: number | null = null;
  #check: { readonly at: number; readonly hasRoom: Promise<boolean> } | undefined;

  constructor({ elapsed, onDamage, onFull = () => undefined, reserve = null }: StorageStateOptions) {
    this.#elapsed = elapsed;
    this.#onDamage = onDamage;
    this.#onFull = onFull;
    this.#reserve = reserve;
    if (reserve?.isFull === true) this.#found('database');
  }

  get isFull(): boolean {
    return this.#full.size > 0;
  }

  /** Milliseconds since the database was found damaged; null if it was not. */
  get damagedForMs(): number | null {
    return this.#damagedAt === null ? null : this.#elapsed() - this.#damagedAt;
  }

  watchDatabase(db: Database): Database {
    const watched = aroundCalls(db, (_, work) => this.#noticing(work));
    return {
      ...watched,
      transact: (body, priority) => {
        if (!this.isFull) return this.#writing('database', () => watched.transact(body, priority));
        let hasWritten = false;
        const write = () => watched.transact((handle) => body(noting(handle, () => (hasWritten = true))), priority);
        return this.#writing('database', write, () => hasWritten);
      },
    };
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

  /** @param wrote whether the write that has succeeded changed anything, and so shows that the disk has room. */
  async #writing<T>(what: 'database' | 'blobs', write: () => Promise<T>, wrote = () => true): Promise<T> {
    if (this.#reserve !== null && this.isFull && !mayUseReserve()) await this.#checkForRoom(this.#reserve);
    try {
      const result = await this.#noticing(write);
      if (this.#reserve === null && wrote()) this.#full.delete(what);
      return result;
    } catch (error) {
      if (!isStorageFull(error)) throw error;
      this.#found(what);
      await this.#reserve?.release();
      if (this.#reserve === null || what === 'blobs' || !mayUseReserve()) throw error;
      return await this.#noticing(write);
    }
  }

  #found(what: 'database' | 'blobs'): void {
    if (!this.isFull) this.#onFull();
    this.#full.add(what);
  }

  async #checkForRoom(reserve: DiskReserve): Promise<void> {
    const now = this.#elapsed();
    if (this.#check === undefined || now - this.#check.at >= CHECK_MS)
      this.#check = { at: now, hasRoom: reserve.take() };
    if (!(await this.#check.hasRoom)) {
      throw new DatabaseError('unavailable', 'the disk of the data folder is full', undefined, { full: true });
    }
    this.#full.clear();
    this.#check = undefined;
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
