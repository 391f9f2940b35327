import { FairQueue } from '../../../concurrency/fair-queue.ts';
import type { Priority } from '../database.ts';

/** A transaction that waits for the writer. */
export interface Queued {
  readonly tenant: string;
  readonly priority: Priority;
}

/**
 * Transactions that wait for the single writer. Priority `interactive` goes first; within a priority, the tenant whose
 * transactions have taken the least time so far.
 */
export class WriterQueue<Job extends Queued> {
  readonly #interactive: FairQueue<Job>;
  readonly #others: FairQueue<Job>;

  /** @param perTenant most waiting transactions of one tenant. */
  constructor(perTenant: number) {
    const limits = {
      items: Number.POSITIVE_INFINITY,
      weight: Number.POSITIVE_INFINITY,
      itemsPerTenant: perTenant,
      weightPerTenant: Number.POSITIVE_INFINITY,
    };
    this.#interactive = new FairQueue(limits);
    this.#others = new FairQueue(limits);
  }

  get length(): number {
    return this.#interactive.length + this.#others.length;
  }

  /** @returns false, without adding the job, when too many of its tenant are waiting. */
  push(job: Job): boolean {
    return this.#of(job).push(job.tenant, job, 0);
  }

  get nextPriority(): Priority | undefined {
    return (this.#interactive.peek() ?? this.#others.peek())?.item.priority;
  }

  shift(): Job | undefined {
    return (this.#interactive.shift() ?? this.#others.shift())?.item;
  }

  /** Adds the time that a job took to its tenant. */
  charge(job: Job, ms: number): void {
    this.#of(job).charge(job.tenant, Math.max(ms, LEAST_MS));
  }

  clear(): Job[] {
    return [...this.#interactive.clear(), ...this.#others.clear()];
  }

  #of({ priority }: Job): FairQueue<Job> {
    return priority === 'interactive' ? this.#interactive : this.#others;
  }
}

/** The least time charged for a job, because its commit is not measured. */
const LEAST_MS = 0.1;
