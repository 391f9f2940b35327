import type { Operation } from '@notevault/sync/plan/operations.ts';
import { Progress } from '@notevault/sync/run/progress.ts';
import { NO_STATUS, type StatusStore, type SyncStatus } from '@notevault/sync/run/sync-status.ts';
import { readStatus, writeStatus } from './status-file.ts';

/** Minimum interval between two writes of the status during a run, in milliseconds. */
const SHOWN_MS = 1000;

/** The status file of a folder in the process that syncs it: during a run it also says what that has left. */
export class RunningStatus implements StatusStore {
  readonly #place: string;
  readonly #ticks: () => number;
  readonly #progress = new Progress();
  #shownAt = Number.NEGATIVE_INFINITY;
  /** One write at a time, so that the end of a run is the last. */
  #writing: Promise<unknown> = Promise.resolve();

  /** @param ticks milliseconds of a monotonic clock */
  constructor(place: string, ticks: () => number) {
    this.#place = place;
    this.#ticks = ticks;
  }

  /** A round of a run begins. */
  planned(operations: readonly Operation[]): void {
    this.#progress.planned(operations);
    this.#show();
  }

  /** One of its operations was tried. */
  done(operation: Operation): void {
    this.#progress.done(operation);
    this.#show();
  }

  #show(): void {
    if (this.#progress.isOver || this.#ticks() - this.#shownAt < SHOWN_MS) return;
    this.#shownAt = this.#ticks();
    const show = async () => {
      const before = (await readStatus(this.#place)) ?? NO_STATUS;
      if (!this.#progress.isOver) await writeStatus(this.#place, { ...this.#progress.in(before), at: Date.now() });
    };
    // What cannot be written ends the run by itself.
    void this.#next(show).catch(() => undefined);
  }

  read(): Promise<SyncStatus | null> {
    return this.#next(() => readStatus(this.#place));
  }

  write(status: SyncStatus): Promise<void> {
    this.#progress.end();
    this.#shownAt = Number.NEGATIVE_INFINITY;
    return this.#next(() => writeStatus(this.#place, status));
  }

  #next<Result>(work: () => Promise<Result>): Promise<Result> {
    const next = this.#writing.then(work);
    this.#writing = next.catch(() => undefined);
    return next;
  }
}
