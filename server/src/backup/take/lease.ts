import { type Clock, latestPlausible } from '../../ports/clock/clock.ts';
import type { Database } from '../../ports/database/database.ts';
import { BackupError } from '../format.ts';
import * as store from './lease.store.ts';
import type { BackupFailure } from './lease.tables.ts';
import { hasEnded, leaseHolder } from './lease-holder.ts';

/**
 * Long enough for a machine that hangs for a while. A backup that was killed on another machine blocks deletions for no
 * longer than this; one of this machine is noticed at once.
 */
const LEASE_MS = 3 * 60_000;
const EXTEND_MS = 20_000;

/** The stored state of a database's backups. */
export interface BackupState {
  readonly running: boolean;
  /** When the last one that ended well was taken; null when there is none or the time is wrong. */
  readonly takenAt: number | null;
  /** The failure of the last one; null when that ended well. */
  readonly failure: { readonly at: number; readonly reason: BackupFailure } | null;
}

export async function backupState(db: Database, clock: Pick<Clock, 'now'>): Promise<BackupState> {
  const row = await db.get(store.findState, {});
  const now = clock.now();
  // A database that is not upgraded yet has no columns for failures.
  const {
    holder = null,
    lease_until: until = 0,
    taken_at = null,
    failed_at: at = null,
    failure: reason = null,
  } = row ?? {};
  const takenAt = taken_at !== null && taken_at <= latestPlausible(now) ? taken_at : null;
  const isLast = at !== null && reason !== null && at > (takenAt ?? 0) && at <= latestPlausible(now);
  return {
    running: until >= now && until <= latestPlausible(now, LEASE_MS) && !(holder !== null && hasEnded(holder)),
    takenAt,
    failure: isLast ? { at, reason } : null,
  };
}

/** Records the backup from which a database was restored, if known, in place of the backups that it remembers. */
export async function recordRestored(db: Database, takenAt: number | null): Promise<void> {
  await db.transact(async (handle) => {
    await handle.run(store.forget, {});
    if (takenAt !== null) await handle.run(store.recordRestored, { takenAt });
  });
}

/**
 * The exclusive right to take a backup of a database. While it is held, no process deletes the bytes of attachments, so
 * that all bytes the snapshot refers to can be copied after it.
 */
export class BackupLease implements AsyncDisposable {
  readonly #db: Database;
  readonly #clock: Clock;
  readonly #holder: string;
  readonly #timer: NodeJS.Timeout;
  #lost: unknown = null;
  /** When the lease ends, in elapsed time: the wall clock may be set meanwhile. */
  #until: number;

  private constructor(db: Database, clock: Clock, holder: string, until: number) {
    this.#db = db;
    this.#clock = clock;
    this.#holder = holder;
    this.#until = until;
    this.#timer = setInterval(() => {
      this.#extend().catch((error: unknown) => {
        // It may work again in time, unless the database is gone for long; `check` tells.
        this.#lost = error;
      });
    }, EXTEND_MS).unref();
  }

  /** Throws BackupError while another backup runs. @param due also throws when one since then ended well. */
  static async acquire(db: Database, clock: Clock, due = Number.MAX_SAFE_INTEGER): Promise<BackupLease> {
    await releaseEnded(db);
    const holder = leaseHolder(clock.uuid());
    const now = clock.now();
    const endsAt = clock.elapsed() + LEASE_MS;
    const times = { now, until: now + LEASE_MS, due };
    const latest = { latestLease: latestPlausible(now, LEASE_MS), latestTaken: latestPlausible(now) };
    const acquired = await db.transact((handle) => handle.run(store.acquire, { holder, ...times, ...latest }));
    if (acquired > 0) return new BackupLease(db, clock, holder, endsAt);
    const { takenAt } = await backupState(db, clock);
    if (takenAt !== null && takenAt >= due) {
      throw new BackupError(`A backup was taken meanwhile, at ${new Date(takenAt).toISOString()}.`);
    }
    throw new BackupError(
      'Another backup of this data is running: wait for its end, or three minutes if it was killed on another machine.',
    );
  }

  /** Throws BackupError when the lease was lost, so that blobs of the snapshot may have been deleted. */
  check(): void {
    if (this.#clock.elapsed() < this.#until) return;
    throw new BackupError(
      'The database could not be reached for minutes, so this backup may miss attachments: try again.',
      {
        cause: this.#lost,
      },
    );
  }

  /** Records that the backup taken at a time ended well. */
  async succeeded(takenAt: number): Promise<void> {
    await this.#db.transact((handle) => handle.run(store.recordSuccess, { holder: this.#holder, takenAt }));
  }

  /** Records that this backup failed, if the database can still be written. */
  async failed(failure: BackupFailure): Promise<void> {
    const failedAt = this.#clock.now();
    const record = { holder: this.#holder, failedAt, failure };
    await this.#db.transact((handle) => handle.run(store.recordFailure, record)).catch(() => undefined);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer);
    // It ends by itself if the database is gone.
    await this.#db.transact((handle) => handle.run(store.release, { holder: this.#holder })).catch(() => undefined);
  }

  async #extend(): Promise<void> {
    const endsAt = this.#clock.elapsed() + LEASE_MS;
    const until = this.#clock.now() + LEASE_MS;
    const extended = await this.#db.transact((handle) => handle.run(store.extend, { holder: this.#holder, until }));
    if (extended > 0) this.#until = endsAt;
  }
}

/** Releases the lease of a process of this machine that was killed. */
async function releaseEnded(db: Database): Promise<void> {
  const holder = (await db.get(store.findState, {}))?.holder ?? null;
  if (holder !== null && hasEnded(holder)) await db.transact((handle) => handle.run(store.release, { holder }));
}
