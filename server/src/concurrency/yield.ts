import { hash } from 'node:crypto';
import { SLICE_MS } from '../config/limits.ts';
import { FairQueue } from './fair-queue.ts';
import { currentTenant } from './tenant.ts';

/** The least time charged for a slice, also when its time is unknown. */
const LEAST_MS = 1;
/** Maximum number of lines into which the callers of one network are divided. */
const LINES_PER_NETWORK = 64;

/**
 * Shares the event loop between long-running work: together it gets one slice of each turn of the loop, so that
 * requests, sockets and timers run in between. The tenant with the least time so far goes first.
 */
export class SliceScheduler {
  readonly #queue = new FairQueue<() => void>();
  readonly #networks = new Map<string, FairQueue<() => void>>();
  readonly #nextTurn: (run: () => void) => void;
  #scheduled = false;
  /** Whether what runs now was resumed in its turn. */
  #inTurn = false;
  /** Start of this turn's slice. */
  #slice: { readonly began: number } | undefined;
  /** How often work was resumed in a later turn of the loop. */
  resumed = 0;

  /** @param nextTurn calls a function at a later turn of the event loop. */
  constructor(nextTurn: (run: () => void) => void = setImmediate) {
    this.#nextTurn = nextTurn;
  }

  isUsedUp(): boolean {
    const { began } = this.#slice ?? this.#begin();
    return performance.now() - began >= SLICE_MS;
  }

  /** Resolves when the tenant may continue; `spentMs` is the time its work took since it was last resumed. */
  turn(tenant: string, spentMs: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#queue.push(tenant, resolve, 0, spentMs);
    if (!this.#scheduled) this.#schedule();
    return promise;
  }

  /**
   * Returns undefined while this turn has time left and nobody waits; otherwise waits like `turn`. So a tenant's
   * thousand concurrent requests do not delay those of others. Work resumed within this turn does not queue again.
   */
  enter(tenant: string, spentMs = 0): Promise<void> | undefined {
    return this.#mustWait() ? this.turn(tenant, spentMs) : undefined;
  }

  /**
   * Like `enter`, for a caller who is not authenticated yet. Its network gets the turns and divides them between a few
   * lines by credential: many made-up credentials gain nothing, and a person does not wait for all others in the office.
   */
  enterFrom(network: string, credential: string): Promise<void> | undefined {
    if (!this.#mustWait()) return undefined;
    const lines = this.#networks.get(network) ?? new FairQueue<() => void>();
    this.#networks.set(network, lines);
    const { promise, resolve } = Promise.withResolvers<void>();
    lines.push(lineOf(credential), resolve, 0);
    void this.turn(network, 0).then(() => {
      const next = lines.shift();
      if (lines.length === 0) this.#networks.delete(network);
      if (next === undefined) return;
      lines.charge(next.tenant, LEAST_MS);
      next.item();
    });
    return promise;
  }

  #mustWait(): boolean {
    return this.isUsedUp() || (this.#queue.length > 0 && !this.#inTurn);
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
    // Charge when it is resumed, not when it begins to wait: a tenant's thousand waiting pieces would raise the level
    // at which new tenants start, and these would come last.
    this.#queue.charge(next.tenant, LEAST_MS);
    this.#inTurn = true;
    next.item();
    onceDone(() => {
      this.#inTurn = false;
      if (this.#queue.length === 0 || !this.isUsedUp()) this.#resumeNext();
      else this.#schedule();
    });
  }
}

/** Calls a function when the resumed code, and everything it resumes, awaits something other than a promise. */
function onceDone(then: () => void): void {
  // A tick requested by a microtask runs after all microtasks.
  queueMicrotask(() => process.nextTick(then));
}

function lineOf(credential: string): string {
  return String((hash('sha256', credential, 'buffer')[0] ?? 0) % LINES_PER_NETWORK);
}

/** The scheduler of this process, which has one event loop. */
export const loopSlices = new SliceScheduler();

/** Awaited regularly by long work: lets everything else run when a slice of time is used up. */
export type YieldIfDue = () => Promise<void>;

/** @param tenant the tenant of the work. */
export function createYield(tenant: string = currentTenant(), scheduler: SliceScheduler = loopSlices): YieldIfDue {
  let since = performance.now();
  return async () => {
    if (!scheduler.isUsedUp()) return;
    await scheduler.turn(tenant, performance.now() - since);
    since = performance.now();
  };
}
