import { keyOf, type Operation } from '../plan/operations.ts';
import type { Clock, Refusal, RefusedOutcome } from './ports.ts';
import type { SyncState } from './sync-state.ts';

/** A refused operation is tried again after this time: the limits of the server or the disk may have changed. */
const REFUSAL_MS = 24 * 60 * 60 * 1000;
/** A file that this user may not read or write is tried again after this time: permissions may change at any moment. */
const DENIED_MS = 60_000;

/**
 * Remembers refused operations. One is not repeated until its effect would be different, some time has passed, or the
 * user asks for it.
 */
export class Refusals {
  readonly #state: SyncState;
  readonly #clock: Clock;
  /** Operations that the disk denied in this run, by their keys; not stored, so that the next run tries them again. */
  readonly #denied = new Map<string, Refusal>();

  constructor(state: SyncState, clock: Clock) {
    this.#state = state;
    this.#clock = clock;
  }

  /** Call when a run begins. */
  forgetDenied(): void {
    this.#denied.clear();
  }

  add(operation: Operation, { reason, isDenied, retryMs = isDenied ? DENIED_MS : REFUSAL_MS }: RefusedOutcome): void {
    const refusal = { key: keyOf(operation), path: pathOf(operation), reason, until: this.#clock.now() + retryMs };
    if (isDenied) this.#denied.set(refusal.key, refusal);
    else this.#state.record({ type: 'refused', refusal });
  }

  /** Returns the refusal of an operation; undefined once it may be tried again, also after the clock was set back. */
  of(operation: Operation): Refusal | undefined {
    // Of thousands of operations, the keys take a while.
    if (this.#state.refused.size + this.#denied.size === 0) return undefined;
    const key = keyOf(operation);
    const denied = this.#denied.get(key);
    if (denied !== undefined) return denied;
    const refusal = this.#state.refused.get(key);
    const left = refusal === undefined ? 0 : refusal.until - this.#clock.now();
    if (left > 0 && left <= REFUSAL_MS) return refusal;
    if (refusal !== undefined) this.#state.record({ type: 'retried', key });
    return undefined;
  }

  isDenied(refusal: Refusal): boolean {
    return this.#denied.get(refusal.key) === refusal;
  }

  /** Returns when the first of some refused operations may be tried again; null when there is none. */
  retryAt(refusals: readonly Refusal[], isAnyDenied: boolean): number | null {
    const times = refusals.map(({ until }) => until);
    if (isAnyDenied) times.push(this.#clock.now() + DENIED_MS);
    return times.length === 0 ? null : Math.min(...times);
  }
}

function pathOf(operation: Operation): string {
  if ('path' in operation) return operation.path;
  if ('from' in operation) return operation.from;
  if ('moves' in operation) return operation.moves[0]?.from ?? '';
  return operation.type === 'adopt' ? operation.file.path : operation.id;
}
