import type { Operation } from '@notevault/sync/plan/operations.ts';
import { Progress } from '@notevault/sync/run/progress.ts';
import { NO_STATUS, type StatusStore, type SyncStatus } from '@notevault/sync/run/sync-status.ts';
import { readStatus, writeStatus } from './status-file.ts';

/** Minimum interval between two writes of the status during a run, in milliseconds. */
const SHOWN_MS = 1000;

/** Status file of a folder that this process syncs; during a run it also shows the remaining work. */
export class RunningStatus implements StatusStore {
  readonly #place: string;
  readonly #ticks: () => number;
  readonly #progress = new Progress();
  #shownAt = Number.NEGATIVE_INFINITY;
  /** Queue of writes, so that a run's final status is written last. */
  #writing: Promise<unknown> = Promise.resolve();

  /** @param ticks milliseconds of a monotonic clock */
  constructor(place: string, ticks: () => number) {
    this.#place = place;
    this.#ticks = ticks;
  }

  /** Records the operations of a new round. */
  planned(operations: readonly Operation[]): void {
    this.#progress.planned(operations);
    this.#show();
  }

  /** Records that an operation was tried. */
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
    // A failing disk ends the run in another way.
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
