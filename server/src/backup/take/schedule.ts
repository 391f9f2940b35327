import { IDLE } from '../../concurrency/idle.ts';
import type { Job } from '../../jobs.ts';
import type { Clock } from '../../ports/clock/clock.ts';
import type { Database } from '../../ports/database/database.ts';
import { backupState } from './lease.ts';

const MINUTE_MS = 60_000;
/** Delay before a failed backup is retried: its cause, such as a full disk, often needs a person. */
const RETRY_MS = 60 * MINUTE_MS;

export interface BackupSchedule {
  readonly db: Database;
  readonly clock: Pick<Clock, 'now' | 'elapsed'>;
  /** The local time of day, `HH:MM`. */
  readonly at: string;
  /** Takes a backup unless one was taken since `due`, which it looks for with the lease; rejects when it took none. */
  readonly run: (signal: AbortSignal, due: number) => Promise<void>;
}

/** Daily. Of several servers on one database only one takes it, and a time at which none was running is made up for. */
export function scheduledBackup({ db, clock, at, run }: BackupSchedule): Job {
  let retryAt = Number.NEGATIVE_INFINITY;
  const isDone = async (due: number) => {
    const { running, takenAt } = await backupState(db, clock);
    return running || (takenAt !== null && takenAt >= due);
  };
  return {
    name: 'backup',
    everyMs: MINUTE_MS,
    async run(signal) {
      const due = lastDue(new Date(clock.now()), at).getTime();
      // Elapsed time, which does not stick when the wall clock was ahead.
      if (clock.elapsed() < retryAt || (await isDone(due))) return IDLE;
      retryAt = clock.elapsed() + RETRY_MS;
      try {
        return await run(signal, due);
      } catch (error) {
        // Another server was faster.
        if (signal.aborted || (await isDone(due))) return IDLE;
        throw error;
      }
    },
  };
}

/** The last time before now that a clock on the wall showed this time of day. */
export function lastDue(now: Date, at: string): Date {
  const [hours = 0, minutes = 0] = at.split(':').map(Number);
  const due = new Date(now);
  due.setHours(hours, minutes, 0, 0);
  // Set again, because yesterday may have begun or ended summer time.
  if (due > now) due.setDate(due.getDate() - 1);
  return due;
}
