import { isWanted, type Operation } from '../plan/operations.ts';
import type { SyncStatus } from './sync-status.ts';

/** Counts what a run under way has left: the engine tells of it only when the run has ended. */
export class Progress {
  #up = 0;
  #down = 0;

  /** A round begins. */
  planned(operations: readonly Operation[]): void {
    this.end();
    for (const operation of operations) this.#count(operation, 1);
  }

  /** Records that an operation was tried. */
  done(operation: Operation): void {
    this.#count(operation, -1);
  }

  end(): void {
    this.#up = 0;
    this.#down = 0;
  }

  get isOver(): boolean {
    return this.#up + this.#down === 0;
  }

  /** Returns the status with what is left. */
  in(status: SyncStatus): SyncStatus {
    if (this.isOver) return status;
    return { ...status, state: 'syncing', waitingUp: this.#up, waitingDown: this.#down };
  }

  #count(operation: Operation, by: number): void {
    if (!isWanted(operation, 'pull')) this.#up += by;
    if (!isWanted(operation, 'push')) this.#down += by;
  }
}
