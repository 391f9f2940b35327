import { FairQueue } from '../../concurrency/fair-queue.ts';
import type { Priority } from './database.ts';

/** A transaction that waits for the writer. */
export interface Queued {
  /** On whose account it is asked for. */
  readonly owner: string;
  readonly priority: Priority;
}

/**
 * Transactions that wait for the one writer: those of priority `interactive` go ahead; among each kind next is the owner whose
 * transactions have taken the least time so far.
 */
export class WriterQueue<Job extends Queued> {
  readonly #interactive: FairQueue<Job>;
  readonly #others: FairQueue<Job>;

  /** @param perOwner transactions of one owner that may wait. */
  constructor(perOwner: number) {
    const limits = {
      items: Number.POSITIVE_INFINITY,
      weight: Number.POSITIVE_INFINITY,
      itemsPerOwner: perOwner,
      weightPerOwner: Number.POSITIVE_INFINITY,
    };
    this.#interactive = new FairQueue(limits);
    this.#others = new FairQueue(limits);
  }

  get length(): number {
    return this.#interactive.length + this.#others.length;
  }

  /** @returns false, without taking it in, when too many of its owner wait. */
  push(job: Job): boolean {
    return this.#of(job).push(job.owner, job, 0);
  }

  /** The pace of the next job. */
  get nextPriority(): Priority | undefined {
    return (this.#interactive.peek() ?? this.#others.peek())?.item.priority;
  }

  shift(): Job | undefined {
    return (this.#interactive.shift() ?? this.#others.shift())?.item;
  }

  /** Counts what a job took. */
  charge(job: Job, ms: number): void {
    this.#of(job).charge(job.owner, Math.max(ms, LEAST_MS));
  }

  /** Takes all out. */
  clear(): Job[] {
    return [...this.#interactive.clear(), ...this.#others.clear()];
  }

  #of({ priority }: Job): FairQueue<Job> {
    return priority === 'interactive' ? this.#interactive : this.#others;
  }
}

/** What any job counts as: its commit is not measured. */
const LEAST_MS = 0.1;
