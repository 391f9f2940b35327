import { DatabaseError } from './database.ts';

/** What waits for the disk: told once, in the order of the commits. */
export interface Waiting {
  onDisk(): void;
  lost(error: DatabaseError): void;
}

/**
 * Makes commits durable without holding the event loop: SQLite commits with `synchronous=NORMAL`, which only writes to
 * the `-wal` file, and nothing is acknowledged before an fdatasync of that file which began after the commit has ended.
 *
 * That is enough because frames leave the file only through a checkpoint, which syncs the file before it copies them
 * and the database before the file is reused; and because the file keeps its inode while a connection is open.
 */
export class Durability {
  readonly #sync: () => Promise<void>;
  readonly #synced: () => void;
  readonly #waiting: { upTo: number; waiting: Waiting }[] = [];
  #commits = 0;
  #durable = 0;
  #syncing: Promise<void> | undefined;
  #failure: DatabaseError | undefined;

  /** `synced` is called after each sync that covered a commit. */
  constructor(sync: () => Promise<void>, synced: () => void) {
    this.#sync = sync;
    this.#synced = synced;
  }

  /** Set for good once the disk has failed: what it holds is unknown from then on. */
  get failure(): DatabaseError | undefined {
    return this.#failure;
  }

  /** The disk failed, seen here or by a checkpoint; nothing is acknowledged from now on. */
  fail(cause: unknown): void {
    const message = 'the database file can no longer be trusted to keep writes; check the disk, then start again';
    this.#failure ??= new DatabaseError('unavailable', message, cause);
    for (const { waiting } of this.#waiting.splice(0)) waiting.lost(this.#failure);
  }

  /** Takes note of a commit (or of a transaction that wrote nothing, but may have read what is not yet durable). */
  committed(wrote: boolean, waiting: Waiting): void {
    if (this.#failure !== undefined) {
      waiting.lost(this.#failure);
      return;
    }
    if (wrote) this.#commits++;
    if (this.#commits === this.#durable) {
      waiting.onDisk();
      return;
    }
    this.#waiting.push({ upTo: this.#commits, waiting });
    this.#syncing ??= this.#syncAll();
  }

  /** Resolves when no sync is under way. */
  async whenDurable(): Promise<void> {
    await this.#syncing;
  }

  /** One sync at a time; each covers every commit made before it began. */
  async #syncAll(): Promise<void> {
    while (this.#failure === undefined && this.#durable < this.#commits) {
      const upTo = this.#commits;
      try {
        await this.#sync();
      } catch (error) {
        // Never tried again: after a failed sync the kernel may mark the lost pages clean, and the next one succeeds.
        this.fail(error);
        break;
      }
      this.#durable = upTo;
      const done = this.#waiting.findIndex((each) => each.upTo > upTo);
      for (const { waiting } of this.#waiting.splice(0, done === -1 ? this.#waiting.length : done)) waiting.onDisk();
      this.#synced();
      // Callers just answered often write again at once: let their commits join the next sync instead of missing it.
      await new Promise((resolve) => setImmediate(resolve));
    }
    this.#syncing = undefined;
  }
}
