import { FairQueue } from '../../concurrency/fair-queue.ts';
import type { Pace } from './database.ts';

/** A transaction that waits for the writer. */
export interface Queued {
  /** On whose account it is asked for. */
  readonly owner: string;
  readonly pace: Pace;
}

/**
 * Transactions that wait for the one writer: those of pace `first` go ahead; among each kind next is the owner whose
 * transactions have taken the least time so far.
 */
export class WriterQueue<Job extends Queued> {
  readonly #first: FairQueue<Job>;
  readonly #others: FairQueue<Job>;

  /** @param perOwner transactions of one owner that may wait. */
  constructor(perOwner: number) {
    const limits = {
      items: Number.POSITIVE_INFINITY,
      weight: Number.POSITIVE_INFINITY,
      itemsPerOwner: perOwner,
      weightPerOwner: Number.POSITIVE_INFINITY,
    };
    this.#first = new FairQueue(limits);
    this.#others = new FairQueue(limits);
  }

  get length(): number {
    return this.#first.length + this.#others.length;
  }

  /** @returns false, without taking it in, when too many of its owner wait. */
  push(job: Job): boolean {
    return this.#of(job).push(job.owner, job, 0);
  }

  /** The pace of the next job. */
  get nextPace(): Pace | undefined {
    return (this.#first.peek() ?? this.#others.peek())?.item.pace;
  }

  shift(): Job | undefined {
    return (this.#first.shift() ?? this.#others.shift())?.item;
  }

  /** Counts what a job took. */
  charge(job: Job, ms: number): void {
    this.#of(job).charge(job.owner, Math.max(ms, LEAST_MS));
  }

  /** Takes all out. */
  clear(): Job[] {
    return [...this.#first.clear(), ...this.#others.clear()];
  }

  #of({ pace }: Job): FairQueue<Job> {
    return pace === 'first' ? this.#first : this.#others;
  }
}

/** What any job counts as: its commit is not measured. */
const LEAST_MS = 0.1;
