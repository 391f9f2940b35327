import type { CommitLog } from '../../../concurrency/pending-reads.ts';
import { DatabaseError } from '../database.ts';

/** A transaction or a request that waits for the disk; notified once, transactions in the order of their commits. */
export interface Waiting {
  onDisk(): void;
  lost(error: DatabaseError): void;
}

/**
 * Makes commits durable without blocking the event loop. SQLite commits with `synchronous=NORMAL`, which only writes to
 * the `-wal` file; a commit is acknowledged, and reads that saw it resolve, after an fdatasync of that file that began
 * after the commit.
 *
 * That is enough because frames leave the file only through a checkpoint, which syncs the file before copying them and
 * the database before the file is reused, and because the file keeps its inode while a connection is open.
 */
export class Durability implements CommitLog {
  readonly #sync: () => Promise<void>;
  readonly #synced: () => void;
  readonly #waiting: { upTo: number; waiting: Waiting }[] = [];
  readonly #othersVersion: () => number | undefined;
  #othersSeen: number | undefined;
  #commits = 0;
  #durable = 0;
  #syncing: Promise<void> | undefined;
  #failure: DatabaseError | undefined;

  /**
   * @param synced called after each sync that covered a commit.
   * @param othersVersion returns a number that changes with commits of other processes; undefined when it is not known.
   */
  constructor(sync: () => Promise<void>, synced: () => void, othersVersion: () => number | undefined) {
    this.#sync = sync;
    this.#synced = synced;
    this.#othersVersion = othersVersion;
    this.#othersSeen = othersVersion();
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

  get newest(): number {
    return this.#commits;
  }

  /** Registers a commit of this process; call it in the same turn, before any read can see the commit. */
  committed(): void {
    this.#commits++;
  }

  /** Registers commits of other processes since the last call, which other connections of this process count as too. */
  noticeOthers(): void {
    const version = this.#othersVersion();
    if (version !== undefined && version === this.#othersSeen) return;
    this.#othersSeen = version;
    this.#commits++;
  }

  /** Notifies once all commits so far are on disk. */
  wait(waiting: Waiting, upTo = this.#commits): void {
    if (this.#failure !== undefined) waiting.lost(this.#failure);
    else if (upTo <= this.#durable) waiting.onDisk();
    else {
      this.#waiting.push({ upTo, waiting });
      this.#syncing ??= this.#syncAll();
    }
  }

  onDisk(commit: number): Promise<void> | undefined {
    const before = this.#commits;
    this.noticeOthers();
    const upTo = this.#commits === before ? commit : this.#commits;
    if (upTo <= this.#durable && this.#failure === undefined) return undefined;
    return new Promise((onDisk, lost) => this.wait({ onDisk, lost }, upTo));
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
      for (const each of this.#waiting.splice(0)) {
        if (each.upTo <= upTo) each.waiting.onDisk();
        else this.#waiting.push(each);
      }
      this.#synced();
      // Callers that were just answered often write again at once: one turn lets their commits join the next sync.
      await new Promise((resolve) => setImmediate(resolve));
    }
    this.#syncing = undefined;
  }
}
