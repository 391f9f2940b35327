import { DatabaseError } from '../database.ts';

/** A transaction that waits for the disk; notified once, in the order of the commits. */
export interface Waiting {
  onDisk(): void;
  lost(error: DatabaseError): void;
}

/**
 * Makes commits durable without blocking the event loop. SQLite commits with `synchronous=NORMAL`, which only writes to
 * the `-wal` file; a commit is acknowledged after an fdatasync of that file that began after the commit.
 *
 * That is enough because frames leave the file only through a checkpoint, which syncs the file before copying them and
 * the database before the file is reused, and because the file keeps its inode while a connection is open.
 */
export class Durability {
  readonly #sync: () => Promise<void>;
  readonly #synced: () => void;
  readonly #waiting: { upTo: number; waiting: Waiting }[] = [];
  #commits = 0;
  #durable = 0;
  #syncing: Promise<void> | undefined;
  #failure: DatabaseError | undefined;

  /** @param synced called after each sync that covered a commit. */
  constructor(sync: () => Promise<void>, synced: () => void) {
    this.#sync = sync;
    this.#synced = synced;
  }

  /** Set permanently once the disk has failed, because its contents are then unknown. */
  get failure(): DatabaseError | undefined {
    return this.#failure;
  }

  /** Records that the disk failed, here or in a checkpoint; nothing is acknowledged from now on. */
  fail(cause: unknown): void {
    const message = 'the database file can no longer be trusted to keep writes; check the disk, then start again';
    this.#failure ??= new DatabaseError('unavailable', message, cause);
    for (const { waiting } of this.#waiting.splice(0)) waiting.lost(this.#failure);
  }

  /** Registers a commit, or a transaction that wrote nothing but may have read rows that are not durable yet. */
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

  /** Runs one sync at a time; each covers every commit made before it began. */
  async #syncAll(): Promise<void> {
    while (this.#failure === undefined && this.#durable < this.#commits) {
      const upTo = this.#commits;
      try {
        await this.#sync();
      } catch (error) {
        // Never retried: after a failed sync the kernel may mark the lost pages clean, and the next sync would succeed.
        this.fail(error);
        break;
      }
      this.#durable = upTo;
      const done = this.#waiting.findIndex((each) => each.upTo > upTo);
      for (const { waiting } of this.#waiting.splice(0, done === -1 ? this.#waiting.length : done)) waiting.onDisk();
      this.#synced();
      // Callers that were just answered often write again at once: one turn lets their commits join the next sync.
      await new Promise((resolve) => setImmediate(resolve));
    }
    this.#syncing = undefined;
  }
}
