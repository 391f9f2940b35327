import { FairQueue } from './fair-queue.ts';
import { currentOwner } from './owner.ts';

/** How long sliced work may hold the event loop, all of it together, before others have a turn. */
const SLICE_MS = 5;
/** What work counts as that tells nothing of its time, or that took next to none. */
const LEAST_MS = 1;

const unbounded = {
  items: Number.POSITIVE_INFINITY,
  weight: Number.POSITIVE_INFINITY,
  itemsPerOwner: Number.POSITIVE_INFINITY,
  weightPerOwner: Number.POSITIVE_INFINITY,
};

/**
 * Shares the event loop between pieces of long work: all of them together have one slice of each turn of the loop, so that
 * requests, sockets and timers come between any two. Next is the owner whose work took least so far.
 */
export class SliceScheduler {
  readonly #queue = new FairQueue<() => void>(unbounded);
  readonly #nextTurn: (run: () => void) => void;
  #scheduled = false;
  /** When the slice of this turn began. */
  #slice: { readonly began: number } | undefined;
  /** How often work has waited for a later turn of the loop, and gone on. */
  resumed = 0;

  /** @param nextTurn calls a function at a later turn of the event loop. */
  constructor(nextTurn: (run: () => void) => void = setImmediate) {
    this.#nextTurn = nextTurn;
  }

  /** Whether the slice of this turn is used up. */
  isUsedUp(): boolean {
    const { began } = this.#slice ?? this.#begin();
    return performance.now() - began >= SLICE_MS;
  }

  /** Resolves when the owner may go on; `spentMs` is what its work took since it last could. */
  turn(owner: string, spentMs: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#queue.push(owner, resolve, 0);
    this.#queue.charge(owner, Math.max(spentMs, LEAST_MS));
    if (!this.#scheduled) this.#schedule();
    return promise;
  }

  /**
   * Resolves at once while there is time left in this turn and nobody waits, else as `turn` does: of a thousand requests
   * that come together, those of others need not wait for all of one owner's.
   */
  async enter(owner: string): Promise<void> {
    if (this.#queue.length > 0 || this.isUsedUp()) await this.turn(owner, 0);
  }

  #begin(): { readonly began: number } {
    const slice = { began: performance.now() };
    this.#slice = slice;
    this.#nextTurn(() => {
      if (this.#slice === slice) this.#slice = undefined;
    });
    return slice;
  }

  #schedule(): void {
    this.#scheduled = true;
    this.#nextTurn(() => {
      this.#begin();
      this.#resumeNext();
    });
  }

  #resumeNext(): void {
    const next = this.#queue.shift();
    if (next === undefined) {
      this.#scheduled = false;
      return;
    }
    this.resumed += 1;
    next.item();
    onceDone(() => {
      if (this.#queue.length === 0 || !this.isUsedUp()) this.#resumeNext();
      else this.#schedule();
    });
  }
}

/** Calls a function when what was just resumed, and all it resumes in turn, awaits something else than promises. */
function onceDone(then: () => void): void {
  // Ticks that are asked for by a microtask come after all microtasks.
  queueMicrotask(() => process.nextTick(then));
}

/** Of this process: it has one event loop. */
export const loopSlices = new SliceScheduler();

/** Awaited often by long work: it lets everything else run whenever a slice of time is used up. */
export type YieldIfDue = () => Promise<void>;

/** @param owner on whose account the work is done. */
export function createYield(owner: string = currentOwner(), scheduler: SliceScheduler = loopSlices): YieldIfDue {
  let since = performance.now();
  return async () => {
    if (!scheduler.isUsedUp()) return;
    await scheduler.turn(owner, performance.now() - since);
    since = performance.now();
  };
}
